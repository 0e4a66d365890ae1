#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# House rules that no compiler sees, over all tracked files: length, licence line, and text that
# belongs to one machine. Prints each offence; status 1 if there is any.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
longest=700
# In pieces, so that this file does not match itself.
machine_text='(^|[^[:alnum:]_.])/(wor''k|ro''ot|ho''me)/[[:alnum:]_.-]'
registry_hosts='(py''pi|archive\.ubun''tu|deb\.deb''ian|security\.deb''ian|npm''js)\.(org|com)'

offences=0
report() {
  echo "$1"
  offences=$((offences + 1))
}

sources() { git ls-files -z --cached --others --exclude-standard -- "$@"; }

while IFS= read -r -d '' file; do
  lines=$(wc -l <"$file")
  [[ $lines -le $longest ]] || report "$file: $lines lines, more than $longest"
done < <(sources '*.cpp' '*.hpp' '*.h' '*.c' '*.cu' '*.cuh' '*.py' '*.sh' '*.cmake' \
  '*CMakeLists.txt' '.ci/*')

while IFS= read -r -d '' file; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
    report "$file: no SPDX line at its start"
done < <(sources '*.cpp' '*.hpp' '*.h' '*.c' '*.cu' '*.cuh' '*.py' '*.sh' '*.cmake' \
  '*CMakeLists.txt' '.ci/*')

while IFS= read -r line; do
  report "$line: text of one machine or a registry's host"
done < <(sources | xargs -0 grep -nIE "$machine_text|$registry_hosts" -- || true)

[[ $offences -eq 0 ]]
