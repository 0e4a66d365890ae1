# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A delay of 10 ms each way is seen in the latency.
# fabrics: pair
# limit: 60
lab_tool rxe_n0p0 rxe_n1p0 ib_write_lat -s 8 -n 50
lab_netem n0p0 delay 10ms
lab_netem n1p0 delay 10ms
lab_tool rxe_n0p0 rxe_n1p0 ib_write_lat -s 8 -n 50
lab_more "microseconds one way" "$(awk '/^ *[0-9]+ +[0-9]+ / {print $6}' "$lab_client")" 8000
