#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots a guest kernel and records two processes there that wake each other all the time, with a small budget and with
# every attach backend in turn: hooks of each kind are detached and attached again, and the recording goes on behind a pause.
# usage: pauses_test.sh KERNEL GUEST_SCRIPT GORDIAN PUPPET
set -euo pipefail
kernel=$1 guest=$2 gordian=$3 puppet=$4
backends=(tracepoint kprobe fentry)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An emulated CPU makes recording dear: with 5 % of the CPUs a pause takes seconds, 25 at most on a
# machine that has nothing else to do. It is over when all threads are told anew.
cat >"$work/record-all" <<'END'
puppet pipe-ping-pong --rounds 100000000 >/dev/null 2>&1 &
for backend; do
  echo "record with $backend"
  gordian record --budget 5% --attach="$backend" -o "/tmp/out/$backend" --duration 80s 2>/dev/null &
  recorder=$!
  until gordian dump --json --kind task --from 1500ms "/tmp/out/$backend" 2>/dev/null | grep -q '"switches"'; do
    kill -0 "$recorder" 2>/dev/null || break
    sleep 1
  done
  sleep 1
  kill -INT "$recorder" 2>/dev/null
  wait "$recorder" || exit 1
done
END

"$guest" "$kernel" --timeout 500 --get /tmp/out --out "$work/out" \
  --add "$gordian" --add "$puppet" --add "$work/record-all" -- \
  sh -c 'mkdir /tmp/out && exec sh /bin/record-all "$@"' record-all "${backends[@]}"

if grep -E 'WARNING:|BUG:' "$work/out/guest/dmesg"; then
  echo "pauses_test: the kernel $kernel complained while hooks came and went" >&2
  exit 1
fi
for backend in "${backends[@]}"; do
  session=$work/out/tmp/out/$backend
  "$gordian" analyze "$session" --no-predictions --json "$work/report.json" >"$work/report"
  # A window is a quarter of a second at least, and one is before the pause and one behind it.
  jq -e '.recording.pauses >= 1 and .recording.paused_s > 0.2 and .recording.seconds >= 0.5' "$work/report.json" >/dev/null || {
    echo "pauses_test: $backend on $kernel: $(jq -c '.recording' "$work/report.json")" >&2
    exit 1
  }
  # Behind a pause all threads are told anew.
  "$gordian" dump --json --kind task "$session" | jq -se 'any(.switches != null and .since_start_ns > 1.5e9)' >/dev/null || {
    echo "pauses_test: $backend on $kernel: it did not go on behind its pause" >&2
    exit 1
  }
  # The two wait for each other, in the recording before a pause and behind it.
  for edge in '"ping","pong"' '"pong","ping"'; do
    jq -e "(.vertices | map({(.id | tostring): .name}) | add) as \$name |
      [.edges[] | [\$name[.from | tostring], \$name[.to | tostring]]] | index([[$edge]])" "$work/report.json" >/dev/null || {
      echo "pauses_test: $backend on $kernel: no edge $edge" >&2
      exit 1
    }
  done
  if grep -q contradicting_switches "$work/report"; then
    echo "pauses_test: $backend on $kernel: switches contradict each other" >&2
    grep contradicting_switches "$work/report" >&2
    exit 1
  fi
done
