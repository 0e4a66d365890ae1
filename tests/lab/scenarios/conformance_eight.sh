# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Eight nodes: what fits a ring and a switch of that size is right in each flag mode.
# fabrics: ring 8; switch 8
# limit: 400
. "$LAB_SOURCE/guest/runs.sh"
seed=1
for mode in trailer flag imm; do
  conform "$fabric_kind" -e "ROCE_FLAG_MODE=$mode" -- --transport verbs --every 20 \
    --seed "$((seed++))"
done
