# SPDX-License-Identifier: Apache-2.0
# Varnish before a shop whose pages must not be stored. Its rules set the time to live to nothing, and do not say that the
# page is uncacheable: so requests for one page wait for each other, in the hope of a page to share.
# shellcheck shell=bash
case_title() { echo "Varnish: requests for an uncacheable page in a row"; }
case_packages() { echo varnish wrk gcc libc6-dev; }
case_fixed() { echo "beresp.uncacheable = true"; }
case_vain() { echo "four thread pools instead of two"; }
case_prepare() { build_remote shop; }
case_start() {
  local rule="set beresp.ttl = 0s;" pools=2
  [ "$variant" != fixed ] || rule="set beresp.uncacheable = true; set beresp.ttl = 120s;"
  [ "$variant" != vain ] || pools=4
  cat >"$work/rules.vcl" <<RULES
vcl 4.1;
backend shop { .host = "127.0.0.1"; .port = "21631"; }
sub vcl_backend_response {
  set beresp.grace = 0s;
  $rule
  return (deliver);
}
RULES
  chmod 644 "$work/rules.vcl"
  serve "$work/shop" 21631 5 http
  wait_for_port 21631
  serve varnishd -F -j none -n "$work/varnish" -a 127.0.0.1:21632 -f "$work/rules.vcl" -s malloc,16m \
    -p thread_pools=$pools -p thread_pool_min=20 -p thread_pool_max=200
  wait_for_port 21632
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21632/cart | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=varnishd=16"; }
case_vain_whatif() { echo "--add-thread=varnishd=40"; }
