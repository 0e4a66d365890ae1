# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# One packet in a hundred lost on every port: all results are right.
# fabrics: pair; ring 4
# limit: 300
. "$LAB_SOURCE/guest/runs.sh"
while read -r _ netdev _ _; do lab_netem "$netdev" loss 1%; done <"$lab_devices"
for mode in trailer flag imm; do
  conform "$fabric_kind" -e "ROCE_FLAG_MODE=$mode" -e ROCE_ACK_TIMEOUT=8ms -- --transport verbs \
    --every 12
done
