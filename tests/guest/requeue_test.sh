#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A disk's driver that has no room gives requests back, and they are issued again: each must be recorded as issued once
# and completed once, or the disk looks busy forever.
# usage: requeue_test.sh KERNEL GUEST_SCRIPT GORDIAN
set -euo pipefail
kernel=$1 guest=$2 gordian=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/write-much" <<'END'
for file in 1 2 3 4; do
  dd if=/dev/zero of=/data/$file bs=1M count=16 conv=fsync 2>/dev/null &
done
wait
END
cat >"$work/record-requeues" <<'END'
echo 1 >/sys/kernel/tracing/events/block/block_rq_requeue/enable
gordian record --budget none -o /tmp/out/session -- sh /bin/write-much || exit 1
# grep fails where it counts none: that is judged below.
grep -c 'block_rq_requeue: ' /sys/kernel/tracing/trace >/tmp/out/requeues || true
END

"$guest" "$kernel" --shallow-disk --get /tmp/out --out "$work/out" \
  --add "$gordian" --add "$work/write-much" --add "$work/record-requeues" -- \
  sh -c 'mkdir /tmp/out && exec sh /bin/record-requeues'

requeues=$(cat "$work/out/tmp/out/requeues")
count() { "$gordian" dump "$work/out/tmp/out/session" --summary --json | jq ".events.$1 // 0"; }
issued=$(count block_issue) completed=$(count block_complete)
echo "$requeues requests given back, $issued issues, $completed completions"
fail() { echo "requeue_test: $*" >&2; exit 1; }
[ "$requeues" -gt 0 ] || fail "the driver gave nothing back: this test has shown nothing"
[ "$issued" -ge 16 ] || fail "hardly a request was recorded"
# Requests of the disk's own may be under way at the end.
[ "$issued" -ge "$completed" ] && [ $((issued - completed)) -le 2 ] || fail "issues and completions do not match"
