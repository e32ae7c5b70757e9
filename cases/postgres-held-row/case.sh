# SPDX-License-Identifier: Apache-2.0
# Eight processes of a shop take from one stock: they lock its row, ask a payment service, which answers after 4 ms, and commit.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: a row locked while a service is asked"; }
case_packages() { echo postgresql-15 python3-psycopg2 gcc libc6-dev; }
case_fixed() { echo "the service asked before the row is locked"; }
case_vain() { echo "twice as many processes"; }
case_prepare() {
  build_remote payments
  postgres_init
}
case_start() {
  postgres_start -c synchronous_commit=off
  [ -e "$work/made" ] || postgres_bench "create table stock (id int primary key, n bigint) with (fillfactor = 20);
    insert into stock values (1, 0)"
  touch "$work/made"
  serve "$work/payments" 21761 4 line
  wait_for_port 21761
}
case_target() { printf '%s\n' "$(postgres_target)" "--comm shop.py"; }
case_load() {
  local when=inside processes=8
  [ "$variant" != fixed ] || when=before
  [ "$variant" != vain ] || processes=16
  as_nobody "$case_dir/shop.py" "$work" 21761 $when $processes "$1"
}
case_whatif() { echo "--lock=postgres->postgres"; }
case_vain_whatif() { echo "--clients=shop.py=2"; }
case_stop() { postgres_stop; }
