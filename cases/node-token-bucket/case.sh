# SPDX-License-Identifier: Apache-2.0
# A Node program with 16 tasks reads pages of a shop. Its own limiter lets 200 requests a second through: the tasks wait for a timer.
# shellcheck shell=bash
case_title() { echo "Node: a rate limiter in the client"; }
case_packages() { echo nodejs gcc libc6-dev; }
case_fixed() { echo "2,000 requests a second"; }
case_vain() { echo "a shop that answers in half of the time"; }
case_prepare() { build_remote shop; }
case_start() {
  local ms=4
  [ "$variant" != vain ] || ms=2
  serve "$work/shop" 21909 $ms http
  wait_for_port 21909
}
case_target() { echo "--comm node"; }
case_load() {
  local rate=200
  [ "$variant" != fixed ] || rate=2000
  as_nobody node "$case_dir/crawl.js" 21909 16 $rate "$1"
}
case_whatif() { echo "--timer=node=0.1"; }
case_vain_whatif() { echo "--timer=shop=0.5"; }
