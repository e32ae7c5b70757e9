# SPDX-License-Identifier: Apache-2.0
# nginx lets 300 requests a second through to a shop, which could answer thousands; the others are delayed.
# shellcheck shell=bash
case_title() { echo "nginx: a rate limit"; }
case_packages() { echo nginx wrk gcc libc6-dev; }
case_fixed() { echo "3,000 requests a second"; }
case_vain() { echo "a shop that answers after 0.2 ms instead of 2"; }
case_prepare() { build_remote shop; }
case_start() {
  local rate=300 shop_ms=2
  [ "$variant" != fixed ] || rate=3000
  [ "$variant" != vain ] || shop_ms=0.2
  cat >"$work/nginx.conf" <<CONFIG
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/nginx.log crit;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path $work/body;
  proxy_temp_path $work/proxy;
  fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi;
  scgi_temp_path $work/scgi;
  limit_req_zone \$server_port zone=all:1m rate=${rate}r/s;
  upstream shop {
    server 127.0.0.1:21791;
    keepalive 32;
  }
  server {
    listen 127.0.0.1:21792;
    location / {
      limit_req zone=all burst=200;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_pass http://shop;
    }
  }
}
CONFIG
  serve "$work/shop" 21791 $shop_ms http
  wait_for_port 21791
  serve nginx -e "$work/nginx.log" -c "$work/nginx.conf"
  wait_for_port 21792
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21792/ | awk '/^Requests\/sec/{r=$2}/Non-2xx/{bad=1}END{print bad ? "bad" : r}'; }
case_whatif() { echo "--timer=nginx=0.1"; }
case_vain_whatif() { echo "--timer=shop=0.1"; }
