# SPDX-License-Identifier: Apache-2.0
# The JDK's HTTP server without an executor of its own: its dispatcher runs all handlers, and they ask a service.
# shellcheck shell=bash
case_title() { echo "Java: the HTTP server's default executor"; }
case_packages() { echo openjdk-17-jdk-headless wrk gcc libc6-dev; }
case_fixed() { echo "sixteen threads for the handlers"; }
case_vain() { echo "a page rendered with half of the rows"; }
case_prepare() {
  build_remote catalogue
  mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Page.java"
}
case_start() {
  local threads=0 rows=40
  [ "$variant" != fixed ] || threads=16
  [ "$variant" != vain ] || rows=20
  serve "$work/catalogue" 21501 5 line
  wait_for_port 21501
  serve java -Dsun.net.httpserver.nodelay=true -Xmx256m -cp "$work/classes" Page 21502 21501 $threads $rows
  wait_for_port 21502
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21502/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--add-thread=HTTP-Dispatcher=15"; }
case_vain_whatif() { echo "--run=HTTP-Dispatcher=0.8"; }
