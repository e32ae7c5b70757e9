# SPDX-License-Identifier: Apache-2.0
# nginx with an RSA key of 4,096 bits; each request comes on a connection of its own.
# shellcheck shell=bash
case_title() { echo "nginx: a TLS handshake for each request"; }
case_packages() { echo nginx openssl wrk; }
case_fixed() { echo "an ECDSA key"; }
case_vain() { echo "four workers instead of two"; }
case_prepare() {
  openssl req -x509 -newkey rsa:4096 -nodes -subj /CN=shop -days 2 -keyout "$work/rsa.key" -out "$work/rsa.crt" 2>/dev/null
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=shop -days 2 -keyout "$work/ec.key" -out "$work/ec.crt" 2>/dev/null
  chmod 644 "$work"/*.key "$work"/*.crt
}
case_start() {
  local key=rsa workers=2
  [ "$variant" != fixed ] || key=ec
  [ "$variant" != vain ] || workers=4
  cat >"$work/nginx.conf" <<CONFIG
daemon off;
worker_processes $workers;
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
  server {
    listen 127.0.0.1:21795 ssl;
    ssl_session_tickets off;
    ssl_session_cache off;
    ssl_certificate $work/$key.crt;
    ssl_certificate_key $work/$key.key;
    location / { return 200 "in stock\\n"; }
  }
}
CONFIG
  serve nginx -e "$work/nginx.log" -c "$work/nginx.conf"
  wait_for_port 21795
}
case_load() { wrk -t 1 -c 16 -d "$1" -H "Connection: close" https://127.0.0.1:21795/ | awk '/^Requests\/sec/{r=$2}/Non-2xx/{bad=1}END{print bad ? "bad" : r}'; }
case_whatif() { echo "--run=nginx=0.1"; }
case_vain_whatif() { echo "--add-thread=nginx=2"; }
