# SPDX-License-Identifier: Apache-2.0
# A MyISAM table: a report reads all of it again and again, and two tills update a row each. The table is locked for the whole report.
# shellcheck shell=bash
case_title() { echo "MariaDB: a report locks a MyISAM table"; }
case_packages() { echo mariadb-server python3 python3-pymysql; }
case_fixed() { echo "InnoDB"; }
case_vain() { echo "no file system sync of the table's changes, a key buffer of 256 MB"; }
case_prepare() {
  chmod 777 "$work"
  as_nobody mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db --datadir="$work/db" >"$work/init.log" 2>&1
}
case_start() {
  local engine=MyISAM options=(--key-buffer-size=8M)
  [ "$variant" != fixed ] || engine=InnoDB
  [ "$variant" != vain ] || options=(--key-buffer-size=256M --delay-key-write=ALL --sync-frm=OFF)
  serve mariadbd --no-defaults --datadir="$work/db" --socket="$work/sock" --skip-grant-tables --bind-address=127.0.0.1 --port=21826 \
    --innodb-flush-log-at-trx-commit=2 "${options[@]}"
  wait_for_port 21826
  as_nobody "$case_dir/tills.py" "$work/sock" create $engine
  serve "$case_dir/tills.py" "$work/sock" report
}
case_target() { echo "--pid ${served[0]}"; }
case_load() { as_nobody "$case_dir/tills.py" "$work/sock" sell "$1"; }
case_whatif() { echo "--lock=mariadbd->mariadbd"; }
# Who believes that the disk is the limit asks this.
case_vain_whatif() { echo "--scale=disk $(disk_of "$work")=0"; }
