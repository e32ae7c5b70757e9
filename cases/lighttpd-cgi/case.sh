# SPDX-License-Identifier: Apache-2.0
# lighttpd starts a Perl program for each request (CGI), which loads its modules each time. Little of its time is the page itself.
# shellcheck shell=bash
case_title() { echo "lighttpd: a Perl program for each request"; }
case_packages() { echo lighttpd perl libfcgi-perl wrk; }
case_fixed() { echo "FastCGI: two Perl processes that stay"; }
case_vain() { echo "24 connections of the load instead of 8"; }
case_start() {
  local how
  mkdir -p "$work/pages"
  install -m 755 "$case_dir/invoice.pl" "$work/pages/invoice.pl"
  if [ "$variant" = fixed ]; then
    how="server.modules = (\"mod_fastcgi\")
fastcgi.server = (\"/invoice.pl\" => ((\"bin-path\" => \"$work/pages/invoice.pl\", \"socket\" => \"$work/fcgi\", \"max-procs\" => 2)))"
  else
    how='server.modules = ("mod_cgi")
cgi.assign = (".pl" => "/usr/bin/perl")'
  fi
  cat >"$work/lighttpd.conf" <<CONFIG
server.port = 21939
server.bind = "127.0.0.1"
server.document-root = "$work/pages"
server.errorlog = "$work/lighttpd.log"
$how
CONFIG
  serve lighttpd -D -f "$work/lighttpd.conf"
  wait_for_port 21939
}
case_load() {
  local connections=8
  [ "$variant" != vain ] || connections=24
  wrk -t 1 -c $connections -d "$1" "http://127.0.0.1:21939/invoice.pl?customer=7" | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--run=invoice.pl=0.1"; }
case_vain_whatif() { echo "--clients=wrk=3"; }
