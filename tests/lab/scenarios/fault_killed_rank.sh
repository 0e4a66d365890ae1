# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A rank killed in mid-run: every other rank names it within the deadline.
# fabrics: pair; ring 4; switch 4
# limit: 200
. "$LAB_SOURCE/guest/runs.sh"
for mode in trailer flag imm; do
  run_start -e "ROCE_FLAG_MODE=$mode"
  lab_kill 1
  # shellcheck disable=SC2046
  run_ended 10 'rank 1' 0 $(seq 2 $((fabric_nodes - 1)))
done
run_start -p 2
lab_kill 1
# shellcheck disable=SC2046
run_ended 10 'rank 1' 0 $(seq 2 $((2 * fabric_nodes - 1)))
