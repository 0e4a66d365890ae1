# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A link that goes down in mid-run ends every rank with an error, soon; afterwards all works.
# fabrics: pair; ring 4; switch 4
# limit: 200
. "$LAB_SOURCE/guest/runs.sh"
for mode in trailer imm; do
  run_start -e "ROCE_FLAG_MODE=$mode"
  lab_link n0p0 down
  # shellcheck disable=SC2046
  run_ended 15 'rank [0-9]' $(seq 0 $((fabric_nodes - 1)))
  grep -hq 'rxe_n' "$lab_logs"/*.log || lab_fail "no message names a device"
  lab_link n0p0 up
  fabric_wait
done
lab_ranks roce_all_reduce_perf -b 8 -e 8 -n 5
