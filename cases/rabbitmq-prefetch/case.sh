# SPDX-License-Identifier: Apache-2.0
# A consumer takes one message at a time from RabbitMQ: it acknowledges, and only then the broker sends the next.
# shellcheck shell=bash
case_title() { echo "RabbitMQ: a prefetch of one"; }
case_packages() { echo rabbitmq-server python3; }
case_fixed() { echo "a prefetch of 100"; }
case_vain() { echo "the producer looks every 2 ms rather than every 20 whether the queue has room"; }
case_start() {
  local look_every_ms=20
  [ "$variant" != vain ] || look_every_ms=2
  echo "[]." >"$work/plugins"
  serve epmd -address 127.0.0.1 -port 21336 # the broker would leave one behind
  serve env HOME="$work" ERL_EPMD_PORT=21336 RABBITMQ_NODENAME=cases@localhost RABBITMQ_DIST_PORT=21335 \
    RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=21334 RABBITMQ_MNESIA_BASE="$work/mnesia" \
    RABBITMQ_LOG_BASE="$work/log" RABBITMQ_PID_FILE="$work/rabbitmq.pid" RABBITMQ_ENABLED_PLUGINS_FILE="$work/plugins" \
    RABBITMQ_CONFIG_FILES="$work/none" RABBITMQ_CONF_ENV_FILE="$work/none" \
    /usr/lib/rabbitmq/bin/rabbitmq-server
  wait_for_port 21334
  serve python3 "$case_dir/client.py" produce 21334 $look_every_ms
  sleep 2 # the broker finishes its start, the queue fills
}
case_target() { echo "--pid ${served[1]} --pid ${served[2]} --comm consumer"; }
case_load() {
  local prefetch=1
  [ "$variant" != fixed ] || prefetch=100
  as_nobody python3 "$case_dir/client.py" consume 21334 "$1" $prefetch
}
case_whatif() { echo "--in-flight=consumer=100"; }
case_vain_whatif() { echo "--timer=producer=0.1"; }
