#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The package's life on a machine: a minimal Debian 12 with systemd, on Debian's own kernel, in an emulated machine.
# usage: machine_test.sh BUILD-FOLDER [KERNEL]
set -euo pipefail
build=$(readlink -f "$1") kernel=${2:-6.1}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
mv "$work"/gordian_*.deb "$work/new.deb"
# The older version is the same under another number: what an upgrade does lies in the scripts and in the service.
dpkg-deb -R "$work/new.deb" "$work/old"
sed -i 's/^Version: .*/Version: 0.0.9/' "$work/old/DEBIAN/control"
dpkg-deb -b "$work/old" "$work/old.deb" >/dev/null
packaging/machine/image "$work/new.deb" "$work/image" podman crun
scripts/guest "$kernel" --root "$work/image" --memory 1536 --timeout 1500 --out "$work/out" \
  --add "$work/old.deb=/root/old.deb" --add "$work/new.deb=/root/new.deb" --add packaging/machine/steps=/root/steps -- sh /root/steps
