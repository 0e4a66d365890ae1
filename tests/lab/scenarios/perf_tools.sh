# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The tools find nothing wrong, take verbs by themselves, and pin no more than they may.
# fabrics: pair; ring 4; ring 8
# limit: 300
for tool in all_reduce all_gather reduce_scatter broadcast barrier; do
  sizes=(-b 4 -e 64K -f 64)
  [[ $tool != barrier ]] || sizes=()
  lab_ranks -t 100 "roce_${tool}_perf" "${sizes[@]}" -n 5 -w 1
  grep -q '# Transport *: verbs$' "$lab_logs/0.log" || lab_fail "roce_${tool}_perf took another way"
  grep -q 'Out of bounds values : 0 OK' "$lab_logs/0.log" || lab_fail "roce_${tool}_perf: wrong"
  pinned=$(sed -n 's/^# Pinned.*a rank, \([0-9]*\) B.*/\1/p' "$lab_logs/0.log")
  ((pinned > 0 && pinned <= 8 << 20)) || lab_fail "$pinned bytes are pinned"
done
