# SPDX-License-Identifier: Apache-2.0
# A Java service logs a line for each request to its standard error, a pipe. The shipper at the other end sends each line to a
# collector and waits 2 ms for the receipt. So the pipe is full, and whoever writes holds the lock of the log's handler.
# shellcheck shell=bash
case_title() { echo "Java: a log shipper that sends line by line"; }
case_packages() { echo openjdk-17-jdk-headless python3 wrk gcc libc6-dev; }
case_fixed() { echo "the shipper sends 64 lines at a time"; }
case_vain() { echo "48 handlers instead of 16"; }
case_prepare() {
  build_remote collector
  mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Stock.java"
  as_nobody mkfifo "$work/log"
}
case_start() {
  local lines=1 handlers=16
  [ "$variant" != fixed ] || lines=64
  [ "$variant" != vain ] || handlers=48
  serve "$work/collector" 21681 2 line
  wait_for_port 21681
  # shellcheck disable=SC2016  # expanded by that shell
  serve bash -c 'exec python3 "$1" 21681 "$2" <"$3"' shipper "$case_dir/shipper.py" $lines "$work/log"
  # shellcheck disable=SC2016  # expanded by that shell
  serve bash -c 'exec 2>"$3"; exec java -Xmx128m -Dsun.net.httpserver.nodelay=true -cp "$1" Stock 21682 "$2"' stock "$work/classes" $handlers "$work/log"
  wait_for_port 21682
}
case_target() { echo "--pid ${served[2]}"; }
case_load() {
  wrk -t 1 -c 16 -d 2 http://127.0.0.1:21682/ >/dev/null # until the pipe is full
  wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21682/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--in-flight=shipper.py=64"; }
case_vain_whatif() { echo "--add-thread=handler=32"; }
