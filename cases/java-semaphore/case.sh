# SPDX-License-Identifier: Apache-2.0
# A Java service lets three of its sixteen handlers at a time ask the tax office (a semaphore), which answers after 5 ms.
# shellcheck shell=bash
case_title() { echo "Java: a semaphore with three permits"; }
case_packages() { echo openjdk-17-jdk-headless wrk gcc libc6-dev; }
case_fixed() { echo "twelve permits"; }
case_vain() { echo "32 handlers instead of 16"; }
case_prepare() {
  build_remote taxes
  mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Invoice.java"
}
case_start() {
  local permits=3 handlers=16
  [ "$variant" != fixed ] || permits=12
  [ "$variant" != vain ] || handlers=32
  serve "$work/taxes" 21821 5 line
  wait_for_port 21821
  serve java -Dsun.net.httpserver.nodelay=true -Xmx256m -cp "$work/classes" Invoice 21822 21821 $permits $handlers
  wait_for_port 21822
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21822/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=handler=4"; }
case_vain_whatif() { echo "--add-thread=handler=16"; }
