# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# An address that goes and comes back has its GID at another index; that one connects.
# fabrics: pair
# limit: 60
read -r old new < <(lab_gid_move n0p0)
[[ -n $new && $old != "$new" ]] || lab_fail "the GID was at '$old' and is at '$new'"
lab_tool rxe_n0p0 rxe_n1p0 ibv_rc_pingpong -n 50
