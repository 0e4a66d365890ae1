# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# lab_ranks tells each rank who and where it is, returns the lowest failed rank's status, and ends late ranks.
# fabrics: ring 3 rails 2
# limit: 60
# shellcheck disable=SC2016
lab_ranks -p 2 -e EXTRA=yes bash -c 'echo "$ROCE_RANK/$ROCE_SIZE $ROCE_LOCAL_RANK $ROCE_HOSTID" \
  "$ROCE_HCA $EXTRA"'
lab_equal "rank 3" "$(<"$lab_logs/3.log")" \
  "3/6 1 host1 rxe_n1p0,rxe_n1p1,rxe_n1p2,rxe_n1p3 yes"
lab_equal "rank 4" "$(<"$lab_logs/4.log")" \
  "4/6 0 host2 rxe_n2p0,rxe_n2p1,rxe_n2p2,rxe_n2p3 yes"

status=0
# shellcheck disable=SC2016
lab_ranks bash -c 'exit $((ROCE_RANK == 1 ? 7 : 0))' || status=$?
lab_equal "status" "$status ${lab_statuses[*]}" "7 0 7 0"

status=0
# shellcheck disable=SC2016
lab_ranks -t 2 bash -c 'sleep $((ROCE_RANK * 20))' || status=$?
lab_equal "status of late ranks" "$status ${lab_statuses[*]}" "124 0 124 124"

lab_start bash -c 'sleep 1; echo half way; sleep 30'
lab_await 2 'half way'
lab_kill 2
lab_kill 1 TERM
lab_kill 0
lab_wait
lab_equal "status of killed ranks" "${lab_statuses[*]}" "137 143 137"
