# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A link that goes down in mid-run ends the sender with "transport retry counter exceeded", and a
# connection made after it has come up again works.
# fabrics: pair
# limit: 90
lab_tool_start rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 100000000
sleep 2
kill -0 "$lab_client_pid" || lab_fail "the run ended too early: $(<"$lab_client")"
lab_link n0p0 down
# One side waits for a message without having anything under way; it never learns.
wait -n "$lab_client_pid" "$lab_server_pid" && lab_fail "both ended well on a dead link"
kill "$lab_client_pid" "$lab_server_pid" 2>/dev/null || true
lab_tool_wait || true
grep -hq 'transport retry counter exceeded' "$lab_server" "$lab_client" ||
  lab_fail "another failure than the wanted one: $(cat "$lab_server" "$lab_client")"
lab_link n0p0 up
fabric_wait
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 100
