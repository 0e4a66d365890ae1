# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Behind a switch every two nodes reach each other on each rail.
# fabrics: switch 4 rails 2
# limit: 120
for ((rail = 0; rail < fabric_rails; ++rail)); do
  for ((a = 0; a < fabric_nodes; ++a)); do
    for ((b = a + 1; b < fabric_nodes; ++b)); do
      lab_tool "rxe_n${a}p$rail" "rxe_n${b}p$rail" ibv_rc_pingpong -n 20
    done
  done
done
