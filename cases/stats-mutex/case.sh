# SPDX-License-Identifier: Apache-2.0
# Two threads do three quarters of their work under one lock.
# shellcheck shell=bash
case_title() { echo "One lock around most of the work"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "a lock for each thread"; }
case_prepare() { gcc -O1 -g -pthread -o "$work/stats" "$case_dir/stats.c" && chmod 755 "$work/stats"; }
case_target() { echo "--comm stats"; }
case_load() {
  local locks=1
  [ "$variant" != fixed ] || locks=2
  as_nobody "$work/stats" "$1" $locks
}
case_whatif() { echo "--lock=@attack"; }
