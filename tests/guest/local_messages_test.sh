#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots a guest kernel and counts messages on unix sockets and in pipes there: 6.1 has no tracepoints
# for sockets, and both kernels let programs enter the functions of pipes.
# usage: local_messages_test.sh KERNEL GUEST_SCRIPT TEST
set -euo pipefail
kernel=$1 guest=$2 test=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$guest" "$kernel" --timeout 300 --out "$work/out" --add "$test" -- local_messages_test --gtest_brief=1
if grep -E 'WARNING:|BUG:' "$work/out/guest/dmesg"; then
  echo "local_messages_test: the kernel $kernel complained while being recorded" >&2
  exit 1
fi
