#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots a guest kernel, records the workload there with every attach backend in turn, and has the recordings compared.
# usage: backends_test.sh KERNEL GUEST_SCRIPT GORDIAN WORKLOAD COMPARE_BACKENDS
set -euo pipefail
kernel=$1 guest=$2 gordian=$3 workload=$4 compare=$5
backends=(tracepoint kprobe fentry)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# On 6.1 a ksoftirqd that was once needed is starved by the workload's SCHED_FIFO threads, stays runnable, and takes
# every later packet over. With a higher priority it is done, and gone, at once.
cat >"$work/record-all" <<'END'
for comm in /proc/[0-9]*/comm; do
  read -r name <"$comm" || continue # it may have ended by now
  pid=${comm#/proc/}
  case $name in ksoftirqd/*) chrt -f -p 2 "${pid%/comm}" >/dev/null || exit 1 ;; esac
done
for backend; do
  echo "record with $backend"
  # Without stacks: to name code the recorder reads mappings, and a thread that maps something just
  # then waits for it.
  gordian record --budget none --attach="$backend" --stacks=off -o "/tmp/out/$backend" -- sh -c "exec workload >/tmp/out/$backend.json" || exit 1
done
END

"$guest" "$kernel" --timeout 300 --get /tmp/out --out "$work/out" \
  --add "$gordian" --add "$workload" --add "$(command -v chrt)" --add "$work/record-all" -- \
  sh -c 'mkdir /tmp/out && exec sh /bin/record-all "$@"' record-all "${backends[@]}"

if grep -E 'WARNING:|BUG:' "$work/out/guest/dmesg"; then
  echo "backends_test: the kernel $kernel complained while being recorded" >&2
  exit 1
fi
arguments=()
for backend in "${backends[@]}"; do
  arguments+=("$backend" "$work/out/tmp/out/$backend" "$work/out/tmp/out/$backend.json")
done
"$compare" "${arguments[@]}"
