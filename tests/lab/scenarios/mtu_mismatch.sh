# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A switch port with a smaller MTU than the devices believe: small messages pass, large ones end
# in an error.
# fabrics: switch 2
# limit: 90
lab_mtu sn1p0 1500
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 50 -s 256
lab_tool_start rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 50 -s 16384 -m 4096
wait -n "$lab_client_pid" "$lab_server_pid" && lab_fail "packets of 4096 passed an MTU of 1500"
kill "$lab_client_pid" "$lab_server_pid" 2>/dev/null || true
lab_tool_wait || true
grep -hq 'transport retry counter exceeded' "$lab_server" "$lab_client" ||
  lab_fail "another failure than the wanted one: $(cat "$lab_server" "$lab_client")"
