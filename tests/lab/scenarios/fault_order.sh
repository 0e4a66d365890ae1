# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Packets that are late by different times, and such that overtake others: all results are right.
# fabrics: pair; ring 4
# limit: 300
. "$LAB_SOURCE/guest/runs.sh"
for fault in "delay 1ms 900us" "delay 1ms reorder 25% 50%"; do
  # shellcheck disable=SC2086
  while read -r _ netdev _ _; do lab_netem "$netdev" $fault; done <"$lab_devices"
  for mode in trailer flag imm; do
    conform "$fabric_kind" -e "ROCE_FLAG_MODE=$mode" -e ROCE_ACK_TIMEOUT=32ms -- \
      --transport verbs --every 24
  done
done
