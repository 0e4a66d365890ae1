# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The lab's kernel: Debian's own, unpacked into a cache folder and never installed. Sourced by
# run.sh, which defines cannot_run.

# lab_kernel: sets kernel_root to a folder with boot/vmlinuz-* and lib/modules/*. Takes
# ROCE_LAB_KERNEL, else what the cache holds, else fetches the newest package. Two runs at a time
# wait for one another; what an interrupted one left is removed by the next that fetches.
lab_kernel() {
  kernel_root=${ROCE_LAB_KERNEL:-}
  if [[ -n $kernel_root ]]; then
    compgen -G "$kernel_root/boot/vmlinuz-*" >/dev/null ||
      cannot_run "ROCE_LAB_KERNEL=$kernel_root has no boot/vmlinuz-*"
    return
  fi
  local cache=${ROCE_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roce-lab} lock
  mkdir -p "$cache" || cannot_run "the cache folder $cache cannot be made; set ROCE_LAB_CACHE"
  exec {lock}>"$cache/lock"
  flock -w 600 "$lock" || cannot_run "another run has held $cache/lock for 10 minutes"
  kernel_root=$(cached_kernel "$cache")
  if [[ -z $kernel_root ]]; then
    rm -rf "$cache"/fetch.*
    fetch_kernel "$cache"
    kernel_root=$(cached_kernel "$cache")
  fi
  exec {lock}>&-
}

cached_kernel() {
  find "$1" -maxdepth 1 -name 'linux-image-*' -type d | sort -V | tail -n 1
}

# The package lists are private too, so that neither root nor a fresh apt-get update is needed.
fetch_kernel() {
  local cache=$1 work package
  command -v apt-get >/dev/null ||
    cannot_run "no kernel in $cache and no apt-get to fetch one; name one with ROCE_LAB_KERNEL"
  work=$(mktemp -d "$cache/fetch.XXXXXX")
  mkdir -p "$work/lists/partial" "$work/archives/partial"
  local apt=(-qq -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work"
    -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)")
  echo "lab: fetching a kernel into $cache" >&2
  apt-get "${apt[@]}" update >"$work/log" 2>&1 || true
  package=$(apt-cache "${apt[@]}" pkgnames linux-image-6.1.0- |
    grep -E '^linux-image-6\.1\.0-[0-9]+-amd64$' | sort -V | tail -n 1 || true)
  [[ -n $package ]] || give_up_fetch "$work" \
    "apt knows no package linux-image-6.1.0-*-amd64 (Debian 12 has one; is there a network?)"
  (cd "$work" && apt-get "${apt[@]}" download "$package") >>"$work/log" 2>&1 ||
    give_up_fetch "$work" "apt-get could not download $package"
  mkdir "$work/unpacked"
  dpkg-deb -x "$work/$package"_*.deb "$work/unpacked" ||
    give_up_fetch "$work" "$package could not be unpacked (is the disk full?)"
  rm -rf "$work/unpacked/usr"
  depmod -b "$work/unpacked" "$(kernel_version "$work/unpacked")"
  mv -T "$work/unpacked" "$cache/$package"
  rm -rf "$work"
}

give_up_fetch() {
  sed 's/^/  /' "$1/log" >&2
  rm -rf "$1"
  cannot_run "$2"
}

kernel_version() {
  basename "$(find "$1/lib/modules" -mindepth 1 -maxdepth 1 -type d | head -n 1)"
}
