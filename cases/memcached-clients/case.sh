# SPDX-License-Identifier: Apache-2.0
# A client asks memcached for a value, computes, asks for the next: memcached could do far more than it sends.
# shellcheck shell=bash
case_title() { echo "memcached: the client is too slow"; }
case_packages() { echo memcached python3; }
case_fixed() { echo "a second client"; }
case_start() {
  serve memcached -l 127.0.0.1 -p 21303 -t 2 -m 256
  wait_for_port 21303
}
case_load() {
  local clients=1 client
  [ "$variant" = plain ] || clients=2
  for ((client = 0; client < clients; client++)); do
    as_nobody python3 "$case_dir/client.py" 21303 "$1" &
  done | awk '{sum += $1} END{print sum}'
}
case_whatif() { echo "--clients=@outside=2"; }
