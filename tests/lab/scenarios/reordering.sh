# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Packets that overtake one another: all data arrives unchanged, and the receiver saw gaps.
# fabrics: pair
# limit: 90
lab_netem n1p0 delay 2ms reorder 50% 50%
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -c -n 20 -s 32768
lab_more "requests out of order at the receiver" \
  $(($(lab_counter rxe_n0p0 out_of_seq_request) + $(lab_counter rxe_n0p0 duplicate_request))) 1
