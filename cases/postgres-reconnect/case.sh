# SPDX-License-Identifier: Apache-2.0
# Four clients connect for each query, as a web page without a pool does: the server starts a process, which logs them in and ends.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: a connection for each query"; }
case_packages() { echo postgresql-15; }
case_fixed() { echo "connections that stay"; }
case_vain() { echo "a query over a tenth of the rows"; }
case_prepare() { postgres_init; }
case_start() {
  postgres_start
  [ -e "$work/made" ] || postgres_bench "create table t (id int primary key, n int); insert into t select i, i from generate_series(1, 10000) i"
  touch "$work/made"
  local rows=100
  [ "$variant" != vain ] || rows=10
  printf '%s\n' '\set id random(1, 9000)' "select sum(n) from t where id between :id and :id + $rows;" >"$work/select.sql"
}
case_target() { postgres_target; }
case_load() {
  local connect=--connect
  [ "$variant" != fixed ] || connect=
  # shellcheck disable=SC2086  # connections that stay: no argument
  postgres_load "$1" 4 $connect -f "$work/select.sql"
}
case_whatif() { printf '%s\n' "--function=InitPostgres=0" "--function=fork_process=0" "--function=proc_exit=0"; }
case_vain_whatif() { echo "--function=ExecutorRun=0.1"; }
case_stop() { postgres_stop; }
