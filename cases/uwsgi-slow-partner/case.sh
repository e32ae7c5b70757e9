# SPDX-License-Identifier: Apache-2.0
# nginx before uWSGI with four processes. One request in four asks a partner, which answers after 40 ms; the others, for which all is
# there, wait for a free process meanwhile. Another program computes on one of the CPUs at low priority.
# shellcheck shell=bash
case_title() { echo "uWSGI: four processes, and a slow partner"; }
case_packages() { echo nginx uwsgi-core uwsgi-plugin-python3 wrk gcc libc6-dev; }
case_fixed() { echo "24 processes"; }
case_vain() { echo "a page in a tenth of the CPU time"; }
case_prepare() { build_remote partner; }
case_start() {
  local processes=4 rows=200
  [ "$variant" != fixed ] || processes=24
  [ "$variant" != vain ] || rows=20
  # shellcheck disable=SC2016  # expanded by perl
  serve nice -n 19 perl -e '1 while $i++ < 1e12'
  serve "$work/partner" 21905 40 line 64
  wait_for_port 21905
  serve env ROWS=$rows PYTHONDONTWRITEBYTECODE=1 uwsgi_python3 --socket 127.0.0.1:21906 --master --processes $processes --listen 100 \
    --chdir "$case_dir" --module tickets --disable-logging
  wait_for_port 21906
  cat >"$work/nginx.conf" <<CONFIG
daemon off;
worker_processes 1;
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
    listen 127.0.0.1:21907;
    location / { include /etc/nginx/uwsgi_params; uwsgi_pass 127.0.0.1:21906; }
  }
}
CONFIG
  serve nginx -e "$work/nginx.log" -c "$work/nginx.conf"
  wait_for_port 21907
}
# What is slow for a user is the application: nginx and uWSGI.
case_target() { printf '%s\n' "--pid ${served[2]}" "--pid ${served[3]}"; }
case_load() { wrk -t 1 -c 32 -d "$1" http://127.0.0.1:21907/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--add-thread=uwsgi_python3=20"; }
case_vain_whatif() { echo "--run=uwsgi_python3=0.2"; }
