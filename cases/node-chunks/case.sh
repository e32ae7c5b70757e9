# SPDX-License-Identifier: Apache-2.0
# A Node program fetches articles in chunks of eight (Promise.all). One article in eight comes from the archive (40 ms), the others from
# the store (4 ms): seven of eight wait for the slowest of their chunk.
# shellcheck shell=bash
case_title() { echo "Node: Promise.all in chunks"; }
case_packages() { echo nodejs gcc libc6-dev; }
case_fixed() { echo "eight tasks that each take the next article"; }
case_vain() { echo "a checksum of a tenth of the rounds"; }
case_prepare() {
  build_remote store
  build_remote archive
}
case_start() {
  serve "$work/store" 21937 4 line
  wait_for_port 21937
  serve "$work/archive" 21938 40 line
  wait_for_port 21938
}
case_target() { echo "--comm node"; }
case_load() {
  local how=chunks rounds=20000
  [ "$variant" != fixed ] || how=tasks
  [ "$variant" != vain ] || rounds=2000
  as_nobody node "$case_dir/articles.js" 21937 21938 $how $rounds "$1"
}
case_whatif() { echo "--async=node->archive"; }
case_vain_whatif() { echo "--function=checksum=0.1"; }
