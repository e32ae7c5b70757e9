# SPDX-License-Identifier: Apache-2.0
# Apache with eight processes and connections that are kept alive: 32 users read a page, look at it for 40 ms and ask for the next.
# shellcheck shell=bash
case_title() { echo "Apache: processes kept by idle connections"; }
case_packages() { echo apache2 gcc libc6-dev; }
case_fixed() { echo "KeepAlive Off"; }
case_vain() { echo "a page of 2 kB instead of 64"; }
case_prepare() {
  gcc -O2 -g -pthread -o "$work/users" "$case_dir/users.c"
  chmod 755 "$work/users"
  mkdir "$work/pages"
}
case_start() {
  local keep=On bytes=65536 modules=/usr/lib/apache2/modules
  [ "$variant" != fixed ] || keep=Off
  [ "$variant" != vain ] || bytes=2048
  head -c $bytes /dev/zero | tr '\0' x >"$work/pages/index.html"
  chmod 755 "$work/pages"
  chmod 644 "$work/pages/index.html"
  cat >"$work/apache.conf" <<CONFIG
ServerRoot $work
ServerName 127.0.0.1
PidFile $work/apache.pid
ErrorLog $work/apache.log
DefaultRuntimeDir $work
Mutex file:$work
LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dir_module $modules/mod_dir.so
Listen 127.0.0.1:21611
DocumentRoot $work/pages
DirectoryIndex index.html
StartServers 8
MinSpareServers 8
MaxSpareServers 8
ServerLimit 8
MaxRequestWorkers 8
KeepAlive $keep
KeepAliveTimeout 5
CONFIG
  serve apache2 -DFOREGROUND -f "$work/apache.conf"
  wait_for_port 21611
}
case_target() { echo "--pid ${served[0]}"; }
case_load() { as_nobody "$work/users" 21611 32 "$1"; }
case_whatif() { echo "--in-flight=apache2=4"; }
case_vain_whatif() { echo "--run=apache2=0.5"; }
