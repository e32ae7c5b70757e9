# SPDX-License-Identifier: Apache-2.0
# Sixteen clients of a Node server; one request in twenty is compressed in the event loop itself.
# shellcheck shell=bash
case_title() { echo "Node: a synchronous call in the event loop"; }
case_packages() { echo nodejs wrk; }
case_fixed() { echo "gzip instead of gzipSync"; }
case_vain() { echo "16 threads in libuv's pool instead of 4"; }
case_prepare() { echo "<p>It costs PRICE.</p>" >"$work/template.html"; }
case_start() {
  local how=sync threads=4
  [ "$variant" != fixed ] || how=async
  [ "$variant" != vain ] || threads=16
  serve env UV_THREADPOOL_SIZE=$threads node "$case_dir/server.js" 21332 "$work/template.html" $how
  wait_for_port 21332
}
case_load() { wrk -t 1 -c 16 -d "$1" -s "$case_dir/requests.lua" http://127.0.0.1:21332 | awk '/^Requests\/sec/{print $2}'; }
# The compression runs in a second thread; there are two CPUs.
case_whatif() { echo "--add-thread=@member"; }
case_vain_whatif() { echo "--add-thread=node (8 threads)=12"; }
