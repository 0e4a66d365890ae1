# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Every schedule that fits the fabric gives the right bits in each flag mode; with twin rails,
# payloads over both.
# fabrics: pair; pair rails 2; triangle; ring 4; ring 4 rails 2; line 4; switch 4; switch 4 rails 2; pair mtu 1500
# limit: 300
. "$LAB_SOURCE/guest/runs.sh"
seed=1
for mode in trailer flag imm; do
  conform "$fabric_kind" -e "ROCE_FLAG_MODE=$mode" -e ROCE_STRIPE_ABOVE=512 -- \
    --transport verbs --every 3 --seed "$((seed++))"
done
