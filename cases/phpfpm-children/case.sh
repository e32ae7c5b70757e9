# SPDX-License-Identifier: Apache-2.0
# nginx before PHP-FPM with two children; a page asks a stock service that answers after 5 ms.
# shellcheck shell=bash
case_title() { echo "PHP-FPM: two children"; }
case_packages() { echo nginx php8.2-fpm wrk gcc libc6-dev; }
case_fixed() { echo "sixteen children"; }
case_vain() { echo "four workers of nginx"; }
case_prepare() { build_remote stock; }
case_start() {
  local children=2 workers=1
  [ "$variant" != fixed ] || children=16
  [ "$variant" != vain ] || workers=4
  printf '%s\n' "[global]" "error_log = $work/fpm.log" "[www]" "listen = $work/fpm.sock" "listen.backlog = 511" "pm = static" \
    "pm.max_children = $children" "clear_env = no" >"$work/fpm.conf"
  cat >"$work/nginx.conf" <<CONFIG
daemon off;
worker_processes $workers;
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
    listen 127.0.0.1:21492;
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $case_dir/page.php;
      fastcgi_pass unix:$work/fpm.sock;
    }
  }
}
CONFIG
  serve "$work/stock" 21491 5 line
  wait_for_port 21491
  serve env STOCK_PORT=21491 php-fpm8.2 -F -y "$work/fpm.conf"
  serve nginx -e "$work/nginx.log" -c "$work/nginx.conf"
  wait_for_port 21492
}
case_target() { printf '%s\n' "--pid ${served[1]}" "--pid ${served[2]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21492/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--add-thread=php-fpm8.2=14"; }
case_vain_whatif() { echo "--add-thread=nginx=3"; }
