# SPDX-License-Identifier: Apache-2.0
# A cache of sixteen shards, each with a lock that is held while a value is written through to a store (2 ms). Four writes of five are
# about one tenant, and so about one shard.
# shellcheck shell=bash
case_title() { echo "A cache of sixteen shards, one of them hot"; }
case_packages() { echo g++ gcc libc6-dev; }
case_fixed() { echo "the store is written before the lock is taken"; }
case_vain() { echo "64 shards instead of 16"; }
case_prepare() {
  build_remote store
  g++ -std=c++20 -O2 -g -fno-omit-frame-pointer -pthread -o "$work/cache" "$case_dir/cache.cc" && chmod 755 "$work/cache"
}
case_start() {
  serve "$work/store" 21811 2 line
  wait_for_port 21811
}
case_target() { echo "--comm cache"; }
case_load() {
  local held=held shards=16
  [ "$variant" != fixed ] || held=before
  [ "$variant" != vain ] || shards=64
  as_nobody "$work/cache" 21811 $shards $held "$1"
}
case_whatif() { echo "--lock=cache->cache"; }
case_vain_whatif() { echo "--split=cache->cache=4"; }
