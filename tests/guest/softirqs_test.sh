#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wakes from a softirq that is none of a device's, on an older kernel and with every attach backend: RCU ends the
# puppet's waits in its softirq, and the recording must not blame the thread that this interrupts. And the command line
# of the puppet is told.
# usage: softirqs_test.sh KERNEL GUEST_SCRIPT GORDIAN PUPPET
set -euo pipefail
kernel=$1 guest=$2 gordian=$3 puppet=$4
backends=(tracepoint fentry kprobe)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/record-all" <<'END'
mkdir -p /tmp/out
cd /tmp/out
for backend; do
  gordian record --budget none -o "/tmp/out/$backend" --attach="$backend" --stacks=off -- \
    sh -c "exec puppet grace-periods --rounds 40 >/tmp/out/$backend.json" || exit 1
done
END

"$guest" "$kernel" --timeout 300 --get /tmp/out --out "$work/out" \
  --add "$gordian" --add "$puppet" --add "$work/record-all" -- sh /bin/record-all "${backends[@]}"

if grep -E 'WARNING:|BUG:' "$work/out/guest/dmesg"; then
  echo "softirqs_test: the kernel $kernel complained while being recorded" >&2
  exit 1
fi
failed=0
for backend in "${backends[@]}"; do
  session=$work/out/tmp/out/$backend
  asker=$(jq -r '.actors[0].tid' "$session.json")
  "$gordian" dump "$session" --kind wake --json |
    jq -c "select(.wakee_tid == $asker)" >"$work/wakes"
  by_rcu=$(jq -c 'select((.context == "softirq" and .vector == 9) or (.waker_comm // "" | startswith("rcu")))' \
    "$work/wakes" | wc -l)
  others=$(($(wc -l <"$work/wakes") - by_rcu))
  echo "$backend: $by_rcu waits ended by RCU, $others by others"
  # Its start and its end are told by other threads.
  if [ "$by_rcu" -lt 35 ] || [ "$others" -gt 4 ]; then
    failed=1
    cat "$work/wakes" >&2
  fi
  if ! "$gordian" dump "$session" --kind task | grep 'exec puppet/.*in /tmp/out: puppet grace-periods --rounds 40$'; then
    echo "softirqs_test: $kernel, $backend: the puppet's command line is not told" >&2
    failed=1
  fi
done
exit "$failed"
