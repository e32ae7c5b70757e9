# SPDX-License-Identifier: Apache-2.0
# Sixteen clients of PostgreSQL behind pgbouncer, whose pool has two connections; a transaction waits 5 ms for something far away.
# shellcheck shell=bash
case_title() { echo "pgbouncer: a pool of two connections"; }
case_packages() { echo postgresql-15 pgbouncer; }
case_fixed() { echo "a pool of sixteen connections"; }
case_vain() { echo "32 clients instead of 16"; }
case_prepare() { postgres_init; }
case_start() {
  local pool=2
  [ "$variant" != fixed ] || pool=16
  postgres_start
  [ -e "$work/far.sql" ] || postgres_bench "create table seen (id serial primary key, what text)"
  printf '%s\n' 'select count(*) from seen where id < 10; select pg_sleep(0.005);' >"$work/far.sql"
  cat >"$work/bouncer.ini" <<CONFIG
[databases]
bench = host=$work dbname=bench user=nobody
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 21432
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = $pool
CONFIG
  chmod 644 "$work/bouncer.ini"
  serve pgbouncer "$work/bouncer.ini"
  wait_for_port 21432
}
case_target() {
  echo "--pid ${served[0]}"
  postgres_target
}
case_load() {
  local clients=16
  [ "$variant" != vain ] || clients=32
  as_nobody "$postgres_programs/pgbench" -h 127.0.0.1 -p 21432 -U nobody -n -c $clients -j 1 -T "$1" -f "$work/far.sql" bench 2>&1 | awk '/^tps/{print $3}'
}
case_whatif() { echo "--in-flight=pgbouncer=8"; }
case_vain_whatif() { echo "--in-flight=pgbench=2"; }
case_stop() { postgres_stop; }
