# SPDX-License-Identifier: Apache-2.0
# Eight PHP workers take mails from a table: each locks the first row, sends the mail (8 ms, three at a time), and deletes the row. The
# others wait for that row's lock. Behind it is a second limit: the mail server takes three mails at a time.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: a job queue without skip locked (PHP)"; }
case_packages() { echo postgresql-15 php8.2-cli php8.2-pgsql gcc libc6-dev; }
case_fixed() { echo "skip locked"; }
case_vain() { echo "sixteen workers instead of eight"; }
case_prepare() {
  build_remote mailer
  postgres_init
}
case_start() {
  postgres_start -c synchronous_commit=off
  [ -e "$work/made" ] || postgres_bench "create table mails (id bigserial primary key, receiver text)"
  touch "$work/made"
  "$postgres_programs/psql" -q -h "$work" -U nobody -c "truncate mails" \
    -c "insert into mails (receiver) select 'somebody' || n from generate_series(1, 20000) n" -c "analyze mails" bench
  serve "$work/mailer" 21931 8 line 64 3
  wait_for_port 21931
}
case_target() { printf '%s\n' "$(postgres_target)" "--comm php8.2"; }
case_load() {
  local lock=wait workers=8
  [ "$variant" != fixed ] || lock=skip
  [ "$variant" != vain ] || workers=16
  as_nobody /usr/bin/php8.2 "$case_dir/mails.php" "$work" 21931 $lock $workers "$1"
}
case_whatif() { echo "--lock=postgres->postgres"; }
case_vain_whatif() { echo "--clients=php8.2=2"; }
case_stop() { postgres_stop; }
