#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/guest keeps its promises on one kernel: output, exit code and files come back; a panic and a hang are told
# from success.
# usage: guest_script_test.sh GUEST_SCRIPT KERNEL PROGRAM     (PROGRAM: any dynamically or statically linked program)
set -uo pipefail
guest=$1 kernel=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

expect() { # WHAT EXPECTED ACTUAL
  [ "$2" = "$3" ] && return
  echo "guest_script_test: $1: expected '$2', got '$3'" >&2
  failures=$((failures + 1))
}

output=$("$guest" "$kernel" --get /tmp/made --get /tmp/absent --out "$work/out" -- \
  sh -c 'mkdir /tmp/made; echo "it'\''s here" >"/tmp/made/a file"; ls -d /data/lost+found; uname -r; exit 7')
expect "the command's exit code" 7 $?
expect "the scratch disk is mounted" /data/lost+found "$(sed -n 1p <<<"$output")"
expect "the kernel is the one asked for" "$kernel" "$(sed -n '2s/^\([0-9]*\.[0-9]*\)\..*/\1/p' <<<"$output")"
expect "a file brought back" "it's here" "$(cat "$work/out/tmp/made/a file")"

"$guest" "$kernel" -- "$program" --no-such-option >/dev/null 2>&1
expect "a program from this machine runs, and refuses what it does not know" 2 $?

message=$("$guest" "$kernel" -- sh -c 'echo c >/proc/sysrq-trigger' 2>&1 >/dev/null)
expect "exit code of a panic" 125 $?
expect "a panic is named" 1 "$(grep -c 'Kernel panic' <<<"$message")"

"$guest" "$kernel" --timeout 5 -- sleep 1000 >/dev/null 2>&1
expect "exit code of a hang" 124 $?

for wrong in "" "5.4" "$kernel --no-such-option" "$kernel uname" "$kernel --get relative" "$kernel --timeout 0" "$kernel --join one" "$kernel --forward 80"; do
  # shellcheck disable=SC2086  # the words are several arguments
  "$guest" $wrong >/dev/null 2>&1
  expect "exit code of 'guest $wrong'" 2 $?
done
exit $((failures > 0))
