# SPDX-License-Identifier: Apache-2.0
# A batch job reprices 60 articles in one transaction, and asks a price service for each, which answers after 3 ms. The shops sell
# the same articles: each waits for the end of the batch's transaction.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: a batch in one long transaction"; }
case_packages() { echo postgresql-15 libdbd-pg-perl gcc libc6-dev; }
case_fixed() { echo "a commit for each article"; }
case_vain() { echo "twice as many shops"; }
case_prepare() {
  build_remote prices
  postgres_init
}
case_start() {
  local commit=60
  [ "$variant" != fixed ] || commit=1
  postgres_start -c synchronous_commit=off
  [ -e "$work/made" ] || postgres_bench "create table articles (id int primary key, price int, sold bigint) with (fillfactor = 20);
    insert into articles select id, 1, 0 from generate_series(0, 59) id"
  touch "$work/made"
  printf '%s\n' '\set id random(0, 59)' 'update articles set sold = sold + 1 where id = :id;' >"$work/sell.sql"
  serve "$work/prices" 21908 3 line
  wait_for_port 21908
  serve "$case_dir/reprice.pl" "$work" 21908 $commit
}
case_target() { postgres_target; }
case_load() {
  local shops=8
  [ "$variant" != vain ] || shops=16
  postgres_load "$1" $shops -f "$work/sell.sql"
}
case_whatif() { echo "--lock=postgres->reprice.pl"; }
case_vain_whatif() { echo "--clients=pgbench=2"; }
case_stop() {
  stop_served # the batch, before its database goes
  postgres_stop
}
