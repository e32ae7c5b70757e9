# SPDX-License-Identifier: Apache-2.0
# Eight workers take jobs from a table, one at a time under a lock of MariaDB's; each commit is synced.
# shellcheck shell=bash
case_title() { echo "MariaDB: jobs taken under one named lock"; }
case_packages() { echo mariadb-server python3 python3-pymysql; }
case_fixed() { echo "skip locked rows instead of the lock"; }
case_vain() { echo "sixteen workers instead of eight"; }
case_prepare() {
  chmod 777 "$work"
  as_nobody mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db --datadir="$work/db" >"$work/init.log" 2>&1
}
case_start() {
  serve mariadbd --no-defaults --datadir="$work/db" --socket="$work/sock" --skip-grant-tables --bind-address=127.0.0.1 --port=21306
  wait_for_port 21306
  as_nobody python3 "$case_dir/worker.py" "$work/sock" create "$variant"
}
case_load() { as_nobody python3 "$case_dir/worker.py" "$work/sock" "$1" "$variant"; }
case_whatif() { echo "--lock=mariadbd->mariadbd"; }
case_vain_whatif() { echo "--clients=python3=2"; }
