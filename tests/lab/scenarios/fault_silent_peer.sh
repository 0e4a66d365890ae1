# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A peer that never answers again, though its connections stay up: the others name it when the
# deadline has passed. And one that never came.
# fabrics: pair; ring 4
# limit: 200
. "$LAB_SOURCE/guest/runs.sh"
run_start
lab_kill 1 STOP
(sleep 15; kill -KILL "${lab_pids[1]}") &
# shellcheck disable=SC2046
run_ended 20 'rank 1' 0 $(seq 2 $((fabric_nodes - 1)))

# shellcheck disable=SC2016
lab_start -t 60 -e ROCE_CONNECT_TIMEOUT=4s \
  bash -c '[[ $ROCE_RANK == 1 ]] || exec roce_all_reduce_perf -b 8 -e 8; sleep 12; exit 5'
# shellcheck disable=SC2046
run_ended 20 'rank 1|never' 0 $(seq 2 $((fabric_nodes - 1)))
