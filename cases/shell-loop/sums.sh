#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Requests and bytes of each user in a web server's log, line by line. usage: sums.sh LOG
declare -A requests bytes
while read -r line; do
  user=$(echo "$line" | cut -d ' ' -f 3)
  size=$(echo "$line" | sed 's/.* bytes=\([0-9]*\).*/\1/')
  requests[$user]=$((${requests[$user]:-0} + 1))
  bytes[$user]=$((${bytes[$user]:-0} + size))
done <"$1"
for user in "${!requests[@]}"; do echo "$user ${requests[$user]} ${bytes[$user]}"; done | sort
