# SPDX-License-Identifier: Apache-2.0
# One thread reads blocks from a disk, one after the other, and takes a sum of each.
# shellcheck shell=bash
case_title() { echo "A reader that waits for each block"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "eight threads read ahead"; }
case_prepare() {
  gcc -O2 -g -pthread -o "$work/reader" "$case_dir/reader.c"
  chmod 755 "$work/reader"
  head -c $((4096 * 32768)) /dev/urandom >"$work/blocks"
  sync "$work/blocks"
}
case_target() { echo "--comm reader"; }
case_load() {
  local helpers=0
  [ "$variant" != fixed ] || helpers=8
  as_nobody "$work/reader" "$1" "$work/blocks" $helpers
}
case_whatif() { echo "--async=reader->disk $(disk_of "$work")=8"; }
