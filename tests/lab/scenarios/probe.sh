# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The transport alone, below every collective: all sizes in all flag modes, full send queues and
# rewritten sources, strangers, a killed rank.
# fabrics: pair rails 2; ring 4
# limit: 200
checks=(devices exchange queue killed)
[[ $fabric_kind != ring ]] || checks=(devices exchange strangers killed)
for check in "${checks[@]}"; do
  status=0
  lab_ranks -t 100 verbs_probe "$check" || status=$?
  [[ $check == killed ]] || lab_equal "status of $check" "$status" 0
  for ((rank = 0; rank < fabric_nodes; ++rank)); do
    [[ $check == killed && $rank == 1 ]] || lab_equal "$check, rank $rank" "${lab_statuses[rank]}" 0
  done
done
