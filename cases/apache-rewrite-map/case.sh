# SPDX-License-Identifier: Apache-2.0
# Apache (event) asks one program for each request which tenant's folder it is about (RewriteMap prg:). The program asks a service
# that answers after 4 ms, and Apache lets one request at a time talk to it.
# shellcheck shell=bash
case_title() { echo "Apache: a program rewrites each request"; }
case_packages() { echo apache2 wrk python3 gcc libc6-dev; }
case_fixed() { echo "a map in a text file"; }
case_vain() { echo "64 threads instead of 16"; }
case_prepare() {
  build_remote tenants
  mkdir -p "$work/pages/42"
  head -c 4096 /dev/zero | tr '\0' x >"$work/pages/42/index.html"
  echo "shop 42" >"$work/map.txt"
  chmod -R a+rX "$work/pages" "$work/map.txt"
}
case_start() {
  local map="prg:$case_dir/map.py" threads=16 modules=/usr/lib/apache2/modules
  [ "$variant" != fixed ] || map="txt:$work/map.txt"
  [ "$variant" != vain ] || threads=64
  cat >"$work/apache.conf" <<CONFIG
ServerRoot $work
ServerName 127.0.0.1
PidFile $work/apache.pid
ErrorLog $work/apache.log
DefaultRuntimeDir $work
Mutex pthread
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule rewrite_module $modules/mod_rewrite.so
Listen 127.0.0.1:21804
DocumentRoot $work/pages
StartServers 1
ServerLimit 1
ThreadsPerChild $threads
ThreadLimit $threads
MaxRequestWorkers $threads
MinSpareThreads 1
MaxSpareThreads $threads
MaxKeepAliveRequests 0
RewriteEngine On
RewriteMap tenants $map
RewriteRule ^/([a-z]+)/(.*)$ /\${tenants:\$1}/\$2
CONFIG
  serve "$work/tenants" 21803 4 line
  wait_for_port 21803
  serve env TENANTS_PORT=21803 apache2 -DFOREGROUND -f "$work/apache.conf"
  wait_for_port 21804
}
case_target() { echo "--pid ${served[1]}"; }
case_load() {
  wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21804/shop/index.html | awk '/^Requests\/sec/{r=$2}/Non-2xx/{bad=1}END{print bad ? "bad" : r}'
}
case_whatif() { echo "--skip=apache2->map.py"; }
case_vain_whatif() { echo "--add-thread=apache2=48"; }
