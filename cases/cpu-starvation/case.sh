# SPDX-License-Identifier: Apache-2.0
# PostgreSQL answers queries from memory; four busy loops on the same two CPUs take the time it would need.
# shellcheck shell=bash
case_title() { echo "PostgreSQL beside a batch job: no CPU left"; }
case_packages() { echo postgresql-15; }
case_fixed() { echo "the batch job stopped"; }
case_prepare() { postgres_init; }
case_start() {
  local i
  postgres_start
  [ -e "$work/select.sql" ] || postgres_bench "create table t (id int primary key, n int); insert into t select i, i from generate_series(1, 10000) i"
  printf '%s\n' '\set id random(1, 10000)' 'select n from t where id = :id;' >"$work/select.sql"
  [ "$variant" = plain ] || return 0
  for i in 1 2 3 4; do serve sh -c 'while :; do :; done'; done
}
case_target() { postgres_target; }
case_load() { postgres_load "$1" 4 -f "$work/select.sql"; }
case_stop() { postgres_stop; }
