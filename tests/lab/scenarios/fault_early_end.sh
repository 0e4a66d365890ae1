# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Ranks that end right after their last collective, while its packets are late, out of order or
# lost: the others get what they still wait for.
# fabrics: pair; ring 4
# limit: 300
. "$LAB_SOURCE/guest/runs.sh"
for fault in "delay 3ms 2ms reorder 25% 50%" "loss 8%"; do
  for ((round = 0; round < 3; ++round)); do
    lab_ranks roce_barrier_perf -n 3 -w 0  # on clean cables, so that all know all addresses
    # shellcheck disable=SC2086
    while read -r _ netdev _ _; do lab_netem "$netdev" $fault; done <"$lab_devices"
    lab_ranks -e ROCE_ACK_TIMEOUT=16ms lab_conformance --fabric "$fabric_kind" --every 300 \
      --seed "$round"
    while read -r _ netdev _ _; do lab_netem_off "$netdev"; done <"$lab_devices"
  done
done
