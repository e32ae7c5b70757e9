#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The image of the package that is built now, with the DaemonSet's rights.
# usage: container_test.sh BUILD-FOLDER
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$1/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
"$(dirname "$0")/container_test" "$work"/gordian_*.deb
