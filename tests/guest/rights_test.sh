#!/usr/bin/env bash
# Boots a guest kernel whose owner forbids others as much as he can, and records there as a user with exactly the
# capabilities that gordian-record(1) names, by every attach backend.
# usage: rights_test.sh KERNEL GUEST_SCRIPT GORDIAN
set -euo pipefail
kernel=$1 guest=$2 gordian=$3
backends=(tracepoint kprobe fentry)
setpriv=$(command -v setpriv)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# libbpf before 1.3 needs more where a kernel does not have all that the programs know of.
capabilities=+bpf,+perfmon
[ "$kernel" != 6.1 ] || capabilities+=,+sys_admin

cat >"$work/record-as-user" <<'END'
capabilities=-all,$1
shift
cd /proc/sys/kernel
echo 3 >perf_event_paranoid; echo 2 >unprivileged_bpf_disabled; echo 2 >kptr_restrict
mkdir -m 777 /tmp/out
for backend; do
  /bin/setpriv-of-host --reuid=65534 --regid=65534 --clear-groups --inh-caps="$capabilities" \
    --ambient-caps="$capabilities" --bounding-set="$capabilities" \
    gordian record --attach "$backend" -o "/tmp/out/$backend" -- sh -c 'for i in 1 2 3 4 5; do echo | cat; done' || exit 1
done
END

"$guest" "$kernel" --timeout 300 --get /tmp/out --out "$work/out" --add "$gordian" --add "$setpriv=/bin/setpriv-of-host" \
  --add "$work/record-as-user" -- sh /bin/record-as-user "$capabilities" "${backends[@]}"
for backend in "${backends[@]}"; do
  session=$work/out/tmp/out/$backend
  for kind in switch wake task; do
    [ "$("$gordian" dump --json --kind $kind "$session" | wc -l)" -ge 5 ] || {
      echo "rights_test: $backend on $kernel recorded hardly a $kind" >&2
      exit 1
    }
  done
  "$gordian" dump --summary "$session" | grep -q rights_no_sys_ptrace || {
    echo "rights_test: $backend on $kernel: a missing right was not counted" >&2
    exit 1
  }
done
