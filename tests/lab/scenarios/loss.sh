# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# With a twentieth of the packets lost both ways, all data arrives unchanged, by retransmission.
# fabrics: pair
# limit: 90
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 5  # so that both know each other's addresses
lab_netem n0p0 loss 5%
lab_netem n1p0 loss 5%
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -c -n 200 -s 16384
retries=0
for device in rxe_n0p0 rxe_n1p0; do
  for counter in duplicate_request out_of_seq_request rcvd_seq_err completer_retry_err; do
    retries=$((retries + $(lab_counter "$device" "$counter")))
  done
done
lab_more "signs of retransmission" "$retries" 1
