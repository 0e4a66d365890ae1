# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Nodes that share no cable get no connection: ibv_modify_qp to RTR fails, as on real rings.
# fabrics: ring 4; line 4
# limit: 60
status=0
lab_tool_start rxe_n0p0 rxe_n2p0 ibv_rc_pingpong -n 20
lab_tool_wait || status=$?
[[ $status != 0 ]] || lab_fail "nodes 0 and 2 share no cable and yet are connected"
grep -hq 'Failed to modify QP to RTR' "$lab_server" "$lab_client" ||
  lab_fail "another failure than the wanted one: $(cat "$lab_server" "$lab_client")"
