# SPDX-License-Identifier: Apache-2.0
# A page with eight parts, fetched at once by one browser; each part starts the session, and PHP keeps the session's file locked
# until the part is done. It asks a stock service that answers after 5 ms.
# shellcheck shell=bash
case_title() { echo "PHP: requests of one session in a row"; }
case_packages() { echo nginx php8.2-fpm wrk gcc libc6-dev; }
case_fixed() { echo "session_write_close() before the service is asked"; }
case_vain() { echo "twice as many children"; }
case_prepare() { build_remote stock; }
case_start() {
  local children=12 early=0
  [ "$variant" != fixed ] || early=1
  [ "$variant" != vain ] || children=24
  mkdir -p "$work/sessions"
  chmod 777 "$work/sessions"
  printf '%s\n' "[global]" "error_log = $work/fpm.log" "[www]" "listen = $work/fpm.sock" "listen.backlog = 511" "pm = static" \
    "pm.max_children = $children" "clear_env = no" "php_value[session.save_path] = $work/sessions" >"$work/fpm.conf"
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
    listen 127.0.0.1:21742;
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $case_dir/part.php;
      fastcgi_pass unix:$work/fpm.sock;
    }
  }
}
CONFIG
  serve "$work/stock" 21741 5 line
  wait_for_port 21741
  serve env STOCK_PORT=21741 CLOSE_EARLY=$early php-fpm8.2 -F -y "$work/fpm.conf"
  until [ -S "$work/fpm.sock" ]; do sleep 0.05; done
  serve nginx -e "$work/nginx.log" -c "$work/nginx.conf"
  wait_for_port 21742
}
case_target() { printf '%s\n' "--pid ${served[1]}" "--pid ${served[2]}"; }
case_load() {
  wrk -t 1 -c 8 -d "$1" -H "Cookie: PHPSESSID=abcdefghijklmnopqrstuvwxyz" http://127.0.0.1:21742/ |
    awk '/^Requests\/sec/{r=$2}/Non-2xx/{bad=1}END{print bad ? "bad" : r}'
}
case_whatif() { echo "--lock=php-fpm8.2->php-fpm8.2"; }
case_vain_whatif() { echo "--add-thread=php-fpm8.2=12"; }
