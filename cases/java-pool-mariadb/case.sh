# SPDX-License-Identifier: Apache-2.0
# A Java service with a pool of two connections to MariaDB. Each request takes one, reads a customer, asks a rating service (8 ms) and
# writes the rating, and only then gives it back. Behind it is a second limit: the service has eight threads.
# shellcheck shell=bash
case_title() { echo "Java: a pool of two connections to MariaDB"; }
case_packages() { echo openjdk-17-jdk-headless libmariadb-java mariadb-server wrk gcc libc6-dev; }
case_fixed() { echo "sixteen connections to MariaDB"; }
case_vain() { echo "96 connections of the load instead of 32"; }
case_prepare() {
  build_remote ratings
  mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Customers.java"
  as_nobody mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db --datadir="$work/db" >"$work/init.log" 2>&1
}
case_start() {
  local connections=2
  [ "$variant" != fixed ] || connections=16
  serve mariadbd --no-defaults --datadir="$work/db" --socket="$work/sock" --skip-grant-tables --bind-address=127.0.0.1 --port=21932 \
    --innodb-flush-log-at-trx-commit=2
  wait_for_port 21932
  serve "$work/ratings" 21933 8 line
  wait_for_port 21933
  serve java -Dsun.net.httpserver.nodelay=true -Xmx256m -cp "$work/classes:/usr/share/java/mariadb-java-client.jar" \
    Customers 21934 21932 21933 $connections 8
  wait_for_port 21934
}
case_target() { echo "--pid ${served[2]}"; }
case_load() {
  local connections=32
  [ "$variant" != vain ] || connections=96
  wrk -t 1 -c $connections -d "$1" http://127.0.0.1:21934/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--in-flight=web=8"; }
case_vain_whatif() { echo "--clients=wrk=3"; }
