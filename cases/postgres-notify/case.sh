# SPDX-License-Identifier: Apache-2.0
# Sixteen clients insert orders and NOTIFY in the same transaction: such commits take turns, each with a sync of its own.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: NOTIFY in each transaction"; }
case_packages() { echo postgresql-15; }
case_fixed() { echo "one session that notifies every 50 ms"; }
case_vain() { echo "one index instead of four"; }
case_prepare() {
  postgres_init
  postgres_start
  postgres_bench "create table orders (id serial primary key, customer int, article int, paid int, note text)"
  postgres_stop
  printf '%s\n' '\set customer random(1, 10000)' 'begin;' \
    "insert into orders (customer, article, paid, note) values (:customer, :customer * 7 % 1000, :customer % 3, repeat('x', 100));" >"$work/quiet.sql"
  cp "$work/quiet.sql" "$work/notify.sql"
  echo "notify orders, 'new';" >>"$work/notify.sql"
  echo "commit;" | tee -a "$work/quiet.sql" >>"$work/notify.sql"
}
case_start() {
  local column
  postgres_start
  "$postgres_programs/psql" -q -h "$work" -U nobody -c "truncate orders" bench
  for column in customer article paid; do
    "$postgres_programs/psql" -q -h "$work" -U nobody -c "drop index if exists orders_$column" bench 2>/dev/null
    [ "$variant" = vain ] || "$postgres_programs/psql" -q -h "$work" -U nobody -c "create index orders_$column on orders ($column)" bench
  done
  # shellcheck disable=SC2016  # expanded by that shell
  [ "$variant" != fixed ] ||
    serve bash -c 'while sleep 0.05; do echo "notify orders;"; done | "$1" -q -h "$2" -U nobody bench' notifier "$postgres_programs/psql" "$work"
}
case_target() { postgres_target; }
case_load() {
  local script=notify
  [ "$variant" != fixed ] || script=quiet
  postgres_load "$1" 16 -f "$work/$script.sql"
}
case_whatif() { echo "--lock=postgres->postgres"; }
case_vain_whatif() { echo "--run=postgres=0.8"; }
case_stop() {
  stop_served
  postgres_stop
}
