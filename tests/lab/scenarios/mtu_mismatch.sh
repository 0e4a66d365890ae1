# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A network with a smaller MTU than the devices believe: small messages pass, large ones are
# sent again and again and never arrive. (ibv_rc_pingpong asks for 7 retries, which Soft-RoCE
# takes for "for ever", so it sees no error.)
# fabrics: pair; switch 2
# limit: 60
for netdev in n0p0 n1p0; do lab_drop_large "$netdev" 1500; done
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 50 -s 256

lab_tool_start rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 50 -s 16384 -m 4096
lab_counter_await rxe_n1p0 completer_retry_err \
  $(($(lab_counter rxe_n1p0 completer_retry_err) + 4))
! lab_tool_first_end 3 ||
  lab_fail "packets of 4096 passed an MTU of 1500: $(cat "$lab_server" "$lab_client")"
lab_tool_stop
