#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stacks of a program that keeps no frame pointers, on another kernel: its verifier must take the
# programs that follow them, and the stacks they find must be whole.
# usage: frameless_stacks_test.sh KERNEL GUEST_SCRIPT GORDIAN PUPPET
set -euo pipefail
kernel=$1 guest=$2 gordian=$3 puppet=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The puppet works until its input ends; emulation takes its time until it is known.
cat >"$work/play" <<'END'
sleep 6 | frameless
END
"$guest" "$kernel" --timeout 300 --memory 768 --get /tmp/out --out "$work/out" \
  --add "$gordian" --add "$puppet=/bin/frameless" --add "$work/play" -- \
  sh -c 'mkdir /tmp/out && gordian record --budget none -o /tmp/out/session --only --stacks=all -- sh /bin/play'

session=$work/out/tmp/out/session
fail() { echo "frameless_stacks_test: $*" >&2; exit 1; }
unwound=$("$gordian" dump "$session" --summary --json | jq '[.counters[] | select(.name == "stacks_unwound") | .value] | add // 0')
echo "$unwound stacks followed to their end"
[ "$unwound" -gt 0 ] || fail "no stack was followed by tables"
# One wait's path, outermost first; the C library's frames stand between.
path=$("$gordian" graph "$session" --edge frameless frameless --stacks |
  grep -oE '(^|[^A-Za-z_])(_start|main|Outer|Middle|Inner)( |$)' | tr -d ' %0-9<' | head -5 | paste -sd' ')
[ "$path" = '_start main Outer Middle Inner' ] || fail "the path to a wait is '$path'"
