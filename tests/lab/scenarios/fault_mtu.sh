# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# One end of a cable with a smaller MTU: the connection takes the lesser of both.
# fabrics: pair; ring 4
# limit: 200
. "$LAB_SOURCE/guest/runs.sh"
lab_mtu n1p0 1500
for mode in trailer flag imm; do
  conform "$fabric_kind" -e "ROCE_FLAG_MODE=$mode" -- --transport verbs --every 24
done
