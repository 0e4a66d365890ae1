# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Two ranks on each node share memory and reach the others over verbs, in one communicator.
# fabrics: pair; triangle; ring 4; line 4; switch 4
# limit: 300
. "$LAB_SOURCE/guest/runs.sh"
seed=1
for mode in trailer flag imm; do
  conform "$fabric_kind" -p 2 -e "ROCE_FLAG_MODE=$mode" -- --per-host 2 --transport shm+verbs \
    --every 12 --seed "$((seed++))"
done
