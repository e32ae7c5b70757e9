# SPDX-License-Identifier: Apache-2.0
# Eight clients move money between two of forty accounts, and lock the first named first. Now and then two wait for each other, until the
# server looks for deadlocks, a second later, and ends one of them.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: deadlocks"; }
case_packages() { echo postgresql-15; }
case_fixed() { echo "the account with the smaller number is locked first"; }
case_vain() { echo "prepared statements"; }
case_prepare() { postgres_init; }
case_start() {
  postgres_start -c synchronous_commit=off -c log_min_messages=fatal
  [ -e "$work/made" ] || postgres_bench "create table accounts (id int primary key, n bigint) with (fillfactor = 20);
    insert into accounts select i, 0 from generate_series(1, 40) i"
  touch "$work/made"
  local one=':a' other=':b'
  if [ "$variant" = fixed ]; then one='least(:a, :b)' other='greatest(:a, :b)'; fi
  printf '%s\n' '\set a random(1, 40)' '\set b random(1, 40)' 'begin;' "update accounts set n = n - 1 where id = $one;" \
    "update accounts set n = n + 1 where id = $other;" 'commit;' >"$work/move.sql"
}
case_target() { postgres_target; }
case_load() {
  local protocol=simple
  [ "$variant" != vain ] || protocol=prepared
  postgres_load "$1" 8 -M $protocol --max-tries=100 -f "$work/move.sql"
}
case_whatif() { echo "--timer=postgres=0.01"; }
case_vain_whatif() { printf '%s\n' "--function=pg_analyze_and_rewrite_fixedparams=0" "--function=pg_plan_queries=0"; }
case_stop() { postgres_stop; }
