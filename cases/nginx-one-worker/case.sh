# SPDX-License-Identifier: Apache-2.0
# nginx before a web application with one worker process, which mostly waits for its database.
# shellcheck shell=bash
case_title() { echo "nginx: one worker behind it"; }
case_packages() { echo nginx gunicorn python3 wrk; }
case_fixed() { echo "four workers of the application"; }
case_vain() { echo "four workers of nginx"; }
case_start() {
  local workers=1 nginx_workers=1
  [ "$variant" != fixed ] || workers=4
  [ "$variant" != vain ] || nginx_workers=4
  cat >"$work/nginx.conf" <<CONFIG
daemon off;
worker_processes $nginx_workers;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path $work/body;
  proxy_temp_path $work/proxy;
  fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi;
  scgi_temp_path $work/scgi;
  server {
    listen 127.0.0.1:21337;
    location / { proxy_pass http://127.0.0.1:21338; }
  }
}
CONFIG
  serve python3 "$case_dir/app.py" database 21339
  wait_for_port 21339
  serve env DATABASE_PORT=21339 PYTHONDONTWRITEBYTECODE=1 gunicorn --chdir "$case_dir" -w $workers -b 127.0.0.1:21338 app:application
  wait_for_port 21338
  serve nginx -e "$work/nginx.log" -c "$work/nginx.conf"
  wait_for_port 21337
}
case_target() { echo "--pid ${served[2]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21337/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--add-thread=gunicorn=3"; }
case_vain_whatif() { echo "--add-thread=nginx=3"; }
