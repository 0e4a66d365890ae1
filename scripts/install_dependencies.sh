#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that are missing, by group; prints nothing when none is.
#
#   scripts/install_dependencies.sh [build] [dev] [openmpi] [lab]     (default: build)
#
# Needs root or sudo only when something is missing. Debian 12, Ubuntu 22.04, Ubuntu 24.04.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cmake_needed=3.25

declare -A packages=(
  [build]="build-essential cmake ninja-build pkg-config python3 catch2 libhwy-dev libfmt-dev
           libcli11-dev nlohmann-json3-dev libsodium-dev libibverbs-dev ibverbs-providers
           libucx-dev"
  [dev]="clang-tidy-19 clang-format-19"
  [openmpi]="openmpi-bin libopenmpi-dev"
  [lab]="qemu-system-x86 busybox-static cpio kmod iproute2 util-linux python3 libibverbs-dev
         ibverbs-providers ibverbs-utils perftest"
)

fail() {
  echo "install_dependencies: $*" >&2
  exit 1
}

is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

can_become_root() {
  [[ $(id -u) == 0 ]] && return 0
  command -v sudo >/dev/null || return 1
  [[ -t 0 ]] || sudo -n true 2>/dev/null
}

install_packages() {
  local missing=("$@")
  can_become_root ||
    fail "missing packages, and neither root nor sudo here. Run as root:" \
      "apt-get install ${missing[*]}"
  echo "Installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get -qq update
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

has_new_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/.* //p')
  [[ -n $version ]] && printf '%s\n' "$cmake_needed" "$version" | sort -V -C
}

# Ubuntu 22.04's CMake is too old. A newer one goes into build-tools, which the scripts that call
# this one have in their PATH.
install_new_cmake() {
  is_installed python3-venv || install_packages python3-venv
  echo "Installing CMake $cmake_needed or newer into build-tools"
  python3 -m venv "$root/build-tools"
  "$root/build-tools/bin/pip" --quiet install "cmake>=$cmake_needed,<4" ||
    fail "CMake $cmake_needed or newer is needed, and pip could not install it"
}

main() {
  local groups=("$@") missing=() group package
  [[ ${#groups[@]} -gt 0 ]] || groups=(build)
  for group in "${groups[@]}"; do
    [[ -n ${packages[$group]:-} ]] || fail "no group '$group'; use ${!packages[*]}"
  done
  if ! command -v dpkg-query >/dev/null; then
    echo "install_dependencies: not a Debian or Ubuntu system; install what these packages hold" \
      "yourself:" >&2
    for group in "${groups[@]}"; do echo "${packages[$group]}" >&2; done
    return
  fi
  for group in "${groups[@]}"; do
    for package in ${packages[$group]}; do
      is_installed "$package" || missing+=("$package")
    done
  done
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
  PATH="$root/build-tools/bin:$PATH"
  [[ ! " ${groups[*]} " == *" build "* ]] || has_new_cmake || install_new_cmake
}

main "$@"
