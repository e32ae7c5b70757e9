# SPDX-License-Identifier: Apache-2.0
# A Java service with much live data in a heap that is hardly larger: again and again all its threads stop until one thread
# has collected the garbage.
# shellcheck shell=bash
case_title() { echo "Java: a heap too small, stop-the-world garbage collection"; }
case_packages() { echo openjdk-17-jdk-headless wrk; }
case_fixed() { echo "a heap of 1,500 MB instead of 300 MB"; }
case_vain() { echo "eight worker threads instead of two"; }
case_prepare() { mkdir "$work/classes" && javac -d "$work/classes" "$case_dir/Cache.java"; }
case_start() {
  local heap=300m threads=2
  [ "$variant" != fixed ] || heap=1500m
  [ "$variant" != vain ] || threads=8
  serve java -XX:+UseSerialGC -Xms$heap -Xmx$heap -Xmn40m -Xlog:gc:file="$work/gc.log" -Dsun.net.httpserver.nodelay=true \
    -cp "$work/classes" Cache 21341 $threads
  wait_for_port 21341
}
case_load() { wrk -t 1 -c 8 -d "$1" http://127.0.0.1:21341/ | awk '/^Requests\/sec/{print $2}'; }
# The logs of the collector: 0.33 ms a request with the small heap, 0.14 ms with the large one.
case_whatif() { echo "--run=VM Thread=0.4"; }
case_vain_whatif() { echo "--add-thread=worker-*=6"; }
