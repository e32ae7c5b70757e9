#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots a guest kernel and runs dense_interrupts_test in it: nothing is lost uncounted, with each attach backend.
# usage: dense_interrupts_test.sh KERNEL GUEST_SCRIPT TEST
set -euo pipefail
kernel=$1 guest=$2 test=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/run-dense" <<'END'
export DENSE_EVERY_WAY=1 DENSE_DIRECTORY=/data
for seed in 1 2; do
  DENSE_SEED=$seed DENSE_ROUNDS=1200 dense_interrupts_test --gtest_brief=1 --gtest_filter='Ways/*' || exit 1
done
END
"$guest" "$kernel" --timeout 500 --out "$work/out" --add "$test" --add "$work/run-dense" -- sh /bin/run-dense
if grep -E 'WARNING:|BUG:' "$work/out/guest/dmesg"; then
  echo "dense_interrupts_test: the kernel $kernel complained while being recorded" >&2
  exit 1
fi
