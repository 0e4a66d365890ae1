# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# An address that goes and comes back in mid-run, its GID at another index: either the run goes on,
# or every rank soon says why it can't. A new run finds the new index.
# fabrics: pair; ring 4
# limit: 200
. "$LAB_SOURCE/guest/runs.sh"
run_start
read -r old new < <(lab_gid_move n0p0)
[[ -n $new && $old != "$new" ]] || lab_fail "the GID was at '$old' and is at '$new'"
sleep 3
if kill -0 "${lab_pids[0]}"; then
  run_await 300
  echo "the run went on"
  for ((rank = 0; rank < fabric_nodes; ++rank)); do lab_kill "$rank"; done
  lab_wait
else
  # shellcheck disable=SC2046
  run_ended 15 'GID' $(seq 0 $((fabric_nodes - 1)))
fi
lab_ranks roce_all_reduce_perf --transport verbs -b 8 -e 8 -n 5
