# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Everything that scenarios and --exec commands may call.

# shellcheck source=tests/lab/guest/fabric.sh
. "$LAB_SOURCE/guest/fabric.sh"
# shellcheck disable=SC2086
[[ -z ${LAB_FABRIC:-} ]] || fabric_parse $LAB_FABRIC
# shellcheck source=tests/lab/guest/ranks.sh
. "$LAB_SOURCE/guest/ranks.sh"
# shellcheck source=tests/lab/guest/faults.sh
. "$LAB_SOURCE/guest/faults.sh"
# shellcheck source=tests/lab/guest/checks.sh
. "$LAB_SOURCE/guest/checks.sh"
