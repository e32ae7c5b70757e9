# SPDX-License-Identifier: Apache-2.0
# A program asks, waits for the answer, asks again: request, NATS, worker, NATS, answer, one after the other.
# shellcheck shell=bash
case_title() { echo "NATS: a round trip at a time"; }
case_packages() { echo nats-server python3; }
case_fixed() { echo "16 requests in flight"; }
case_start() {
  serve nats-server -a 127.0.0.1 -p 21305
  wait_for_port 21305
  serve python3 "$case_dir/requests.py" reply 21305
  sleep 0.5 # it subscribes
}
case_target() { echo "--pid ${served[0]} --pid ${served[1]} --comm python3"; }
case_load() {
  local in_flight=1
  [ "$variant" = plain ] || in_flight=16
  as_nobody python3 "$case_dir/requests.py" ask 21305 "$1" $in_flight
}
case_whatif() { echo "--in-flight=@waiter=16"; }
