#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The objects of waits, on an older kernel and with every attach backend: the puppet waits for
# things it knows, and the recording must tell each of them.
# usage: wait_objects_test.sh KERNEL GUEST_SCRIPT GORDIAN PUPPET
set -euo pipefail
kernel=$1 guest=$2 gordian=$3 puppet=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/record-all" <<'END'
mkdir -p /tmp/out
for backend in tracepoint fentry kprobe; do
  gordian record --budget none -o /tmp/out/$backend --attach=$backend --stacks=all -- \
    sh -c "exec puppet wait-objects --rounds 20 --period-us 10000 --directory /data >/tmp/out/$backend.json" || exit 1
done
END

"$guest" "$kernel" --timeout 300 --get /tmp/out --out "$work/out" \
  --add "$gordian" --add "$puppet" --add "$work/record-all" -- sh /bin/record-all

if grep -E 'WARNING:|BUG:' "$work/out/guest/dmesg"; then
  echo "wait_objects_test: the kernel $kernel complained while being recorded" >&2
  exit 1
fi
missing=0
for backend in tracepoint fentry kprobe; do
  report=$work/out/tmp/out/$backend.json
  number() { jq -r ".numbers[\"$1\"]" "$report"; }
  pid=$(jq -r .pid "$report")
  "$gordian" dump "$work/out/tmp/out/$backend" --kind wait_object --json >"$work/objects"
  jq -r '.call + ": " + .text' "$work/objects" | sort -u >"$work/texts"
  for wanted in \
    "futex: futex 0x$(printf %x "$(number futex_address)")" \
    "futex: futex 0x$(printf %x "$(number shared_futex_address)")" \
    "read: pipe $(number pipe_inode)" \
    "read: unix socket $(number unix_socket_inode) with process $pid" \
    "accept: socket on 127.0.0.1:$(number server_port) (tcp)" \
    "read: socket to 127.0.0.1:$(number client_port) (tcp)" \
    "epoll_wait: epoll (descriptor $(number epoll) of process $pid)" \
    "read: eventfd (descriptor $(number eventfd) of process $pid)" \
    "poll: pipe $(number polled_pipe_inode)" \
    "poll: poll of 2 descriptors" \
    "wait4: child $(number child)" \
    "clock_nanosleep: sleep of 10 ms" \
    "clock_nanosleep: sleep until a given time" \
    "fdatasync: fdatasync of /data/wait-objects-$pid"; do
    grep -qxF "$wanted" "$work/texts" && continue
    echo "wait_objects_test: $kernel, $backend: nobody waited for '$wanted'" >&2
    missing=1
  done
  echo "$backend: $(wc -l <"$work/texts") things waited for"
done
[ "$missing" = 0 ] || { cat "$work/texts" >&2; exit 1; }
