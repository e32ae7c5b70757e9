# SPDX-License-Identifier: Apache-2.0
# Four threads put small values; RocksDB writes them to its log in groups, one leader at a time, and syncs each group.
# shellcheck shell=bash
case_title() { echo "RocksDB: synced writes, group by group"; }
case_packages() { echo rocksdb-tools; }
case_fixed() { echo "sync=0"; }
case_target() { echo "--comm db_bench"; }
case_load() {
  local sync=1
  [ "$variant" = plain ] || sync=0
  as_nobody db_bench --benchmarks=fillrandom --sync=$sync --threads=4 --num=100000000 --duration="$1" --db="$work/rocksdb" \
    --disable_auto_compactions=1 --write_buffer_size=1000000000 2>&1 | tr '\r' '\n' | awk '/^fillrandom/{for (i = 1; i < NF; i++) if ($(i + 1) ~ /^ops\/sec/) print $i}'
}
case_whatif() { echo "--skip=@syncer->disk $(disk_of "$work")"; }
