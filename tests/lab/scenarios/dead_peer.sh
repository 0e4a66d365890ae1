# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A peer that is killed in mid-run is noticed: its queue pair is gone, so nothing acknowledges.
# The live side sends again and sees no success any more.
# fabrics: pair
# limit: 60
lab_tool_start rxe_n0p0 rxe_n1p0 ib_write_bw -s 4096 -D 60
lab_counter_await rxe_n1p0 rcvd_pkts 1000
kill -KILL "$lab_server_pid"
lab_counter_await rxe_n1p0 completer_retry_err \
  $(($(lab_counter rxe_n1p0 completer_retry_err) + 3))
received=$(lab_counter rxe_n1p0 rcvd_pkts)
sleep 2
lab_equal "packets that came from the dead" $(($(lab_counter rxe_n1p0 rcvd_pkts) - received)) 0
lab_tool_stop
