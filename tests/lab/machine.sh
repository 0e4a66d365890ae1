# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# The lab's machine: the initial file system and the QEMU process. Sourced by run.sh.

# make_initrd KERNEL_ROOT FILE: busybox, our init, and the modules that mounting the root takes.
make_initrd() {
  local kernel=$1 file=$2 tree version module
  version=$(kernel_version "$kernel")
  tree=$(mktemp -d "$(dirname "$file")/initrd.XXXXXX")
  mkdir -p "$tree"/{bin,modules,proc,new,host,rw}
  cp "$(command -v busybox)" "$tree/bin/busybox"
  install -m 755 "$lab/guest/init" "$tree/init"
  # In the order in which they must be loaded, each once.
  modprobe -d "$kernel" -S "$version" --show-depends -a 9pnet_virtio 9p virtio_pci overlay |
    awk '$1 == "insmod" && !seen[$2]++ {print $2}' >"$tree/list"
  while read -r module; do
    cp "$module" "$tree/modules/"
    basename "$module"
  done <"$tree/list" >"$tree/modules/order"
  (cd "$tree" && find . | cpio --quiet -o -H newc) >"$file"
  rm -rf "$tree"
}

# qemu_command SHARE: sets the array qemu. The host's root is read-only in the machine; SHARE is
# the one folder that it can write. multidevs=remap keeps /proc, /sys and /dev apart.
qemu_command() {
  local share=$1
  # shellcheck disable=SC2054,SC2154  # QEMU's commas; run.sh sets lab and work
  qemu=(qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 4096
    -nodefaults -no-user-config -display none -no-reboot -net none
    -kernel "$(find "$kernel_root/boot" -name 'vmlinuz-*' | head -n 1)" -initrd "$work/initrd"
    # The self tests of emulated ciphers have been seen to hang, and nothing here needs them.
    -append "console=ttyS0 quiet panic=1 oops=panic nokaslr mitigations=off \
cryptomgr.notests"
    -fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"
    -device "virtio-9p-pci,fsdev=host,mount_tag=host"
    -fsdev "local,id=share,path=$share,security_model=none,multidevs=remap"
    -device "virtio-9p-pci,fsdev=share,mount_tag=share"
    -device virtio-rng-pci)
}

# start_machine SECONDS: QEMU in the background, ended by the deadline, by stop_machine, and by
# the death of this shell, however it dies. Sets machine (its process).
start_machine() {
  setpriv --pdeathsig TERM timeout -k 5 "$1" setpriv --pdeathsig KILL \
    "${qemu[@]}" -serial "file:$work/console" </dev/null >"$work/qemu" 2>&1 &
  machine=$!
}

# boot_machine SECONDS: start_machine, and waits until it is up. One that hangs while it starts is
# started once more; then it is said that the lab cannot run here.
boot_machine() {
  local attempt deadline
  for attempt in 1 2; do
    start_machine "$1"
    deadline=$((SECONDS + 120))
    while ((SECONDS < deadline)) && kill -0 "$machine" 2>/dev/null; do
      [[ ! -e $work/share/booted ]] || return 0
      sleep 0.2
    done
    [[ ! -e $work/share/booted ]] || return 0
    stop_machine
    show_console
    sed 's/^/  /' "$work/share/err" >&2 2>/dev/null || true
    echo "tests/lab/run.sh: the machine did not start (attempt $attempt of 2)" >&2
  done
  cannot_run "the machine did not start; what it said is above"
}

stop_machine() {
  [[ -n ${machine:-} ]] || return 0
  kill "$machine" 2>/dev/null || true
  wait "$machine" 2>/dev/null || true
  machine=
}

# Prints what the machine said last.
show_console() {
  sed 's/^/  qemu: /' "$work/qemu" >&2
  [[ ! -s $work/console ]] || tail -n 70 "$work/console" | tr -d '\r' |
    sed 's/^/  console: /' >&2
}

# follow FILE: prints it, and what is added to it, until the machine has ended. Replaces this
# process: call it in the background.
follow() {
  exec setpriv --pdeathsig TERM tail -s 0.1 -n +1 -f --pid="$machine" "$1" 2>/dev/null
}
