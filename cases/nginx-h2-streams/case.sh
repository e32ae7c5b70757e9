# SPDX-License-Identifier: Apache-2.0
# nginx lets two requests at a time through on each connection of HTTP/2. A client has sixteen to ask, over one connection; the shop
# behind nginx takes 5 ms for each.
# shellcheck shell=bash
case_title() { echo "HTTP/2: two streams at a time"; }
case_packages() { echo nginx nghttp2-client gcc libc6-dev; }
case_fixed() { echo "http2_max_concurrent_streams 128"; }
case_vain() { echo "four workers of nginx"; }
case_prepare() { build_remote shop; }
case_start() {
  local streams=2 workers=1
  [ "$variant" != fixed ] || streams=128
  [ "$variant" != vain ] || workers=4
  cat >"$work/nginx.conf" <<CONFIG
daemon off;
worker_processes $workers;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 256; }
http {
  access_log off;
  keepalive_requests 10000000;
  client_body_temp_path $work/body;
  proxy_temp_path $work/proxy;
  fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi;
  scgi_temp_path $work/scgi;
  upstream shop { server 127.0.0.1:21845; keepalive 32; }
  server {
    listen 127.0.0.1:21846 http2;
    http2_max_concurrent_streams $streams;
    location / {
      proxy_pass http://shop;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
CONFIG
  serve "$work/shop" 21845 5 http
  wait_for_port 21845
  serve nginx -e "$work/nginx.log" -c "$work/nginx.conf"
  wait_for_port 21846
}
case_target() { printf '%s\n' "--pid ${served[1]}" "--comm h2load"; }
case_load() { h2load -t 1 -c 1 -m 16 -D "$1" http://127.0.0.1:21846/ | awk '/^finished in/{print $4}'; }
case_whatif() { echo "--in-flight=nginx=8"; }
case_vain_whatif() { echo "--add-thread=nginx=3"; }
