# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A cable pulled in mid-run ends the sender with an error at once, and a connection made after it
# is back works.
# fabrics: pair
# limit: 90
lab_tool_start rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 100000000
lab_counter_await rxe_n0p0 sent_pkts 200
lab_link n0p0 down
lab_link n1p0 down
lab_tool_first_end 30 || lab_fail "neither side has noticed"
lab_tool_stop
grep -hq 'local QP operation error' "$lab_server" "$lab_client" ||
  lab_fail "another failure than the wanted one: $(cat "$lab_server" "$lab_client")"

lab_link n0p0 up
lab_link n1p0 up
fabric_wait
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 100
