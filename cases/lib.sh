# SPDX-License-Identifier: Apache-2.0
# What all case studies share. Sourced by scripts/cases, then cases/NAME/case.sh, which defines (all but the first three optional):
#   case_title        one line: what the case is about
#   case_packages     Debian packages it needs
#   case_load SECONDS drives load for that long and prints the throughput per second;
#     or case_job     does a job of $case_units (default 1) units of work once: its throughput is those by the time it took
#   case_prepare      once, before the first start: data, compiled programs
#   case_start        starts the server (with serve), ready when it returns
#   case_target       options of gordian record that name the target; default: the servers that were started
#   case_fixed        what the fixed variant is, in words; the functions look at $variant (plain, fixed, vain)
#   case_whatif       options of gordian whatif for that fix, one a line; @attack is the wait the report says to
#                     attack first, @waiter who waits there, @sleeper who it says sleeps,
#                     @member the first finding's first member, @outside who outside is the limit
#   case_vain         a plausible fix that does not help, in words: the variant vain
#   case_vain_whatif  options of gordian whatif for it, as those of case_whatif
#   case_stop         stops what serve did not start
# build_remote NAME builds cases/remote.c, a service that answers later, as $work/NAME.
# They may use: $case_dir (where case.sh stands), $work (a folder of the case's own, writable for nobody), $variant.
# The expectation stands in cases/NAME/expect; cases/results.py says how.
# shellcheck shell=bash

fail() { echo "cases: ${case_name:+$case_name: }$*" >&2; exit 1; }

as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$@"; }

# Into the background, as nobody, in a process group of its own, so that children end with it.
serve() { # COMMAND…
  set -m # a group of its own
  setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$@" >>"$work/serve.log" 2>&1 </dev/null &
  set +m
  served+=("$!")
}

wait_for_port() { # PORT
  local deadline=$((SECONDS + 60))
  until (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
    if ! kill -0 "${served[-1]}" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      fail "nothing listens on port $1: $(tail -n 3 "$work/serve.log" 2>/dev/null)"
    fi
    sleep 0.1
  done
}

# Only groups that were started here; whoever does not end within five seconds is killed.
stop_served() {
  local pid deadline
  for pid in "${served[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  deadline=$((SECONDS + 5))
  for pid in "${served[@]}"; do
    while kill -0 -- "-$pid" 2>/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.05; done
    kill -KILL -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  served=()
}

install_packages() { # PACKAGE…
  local package missing=() installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "installed $package" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "cases: installing ${missing[*]}" >&2
  DEBIAN_FRONTEND=noninteractive apt-get -y -q install --no-install-recommends "${missing[@]}" >"$work/apt.log" 2>&1 ||
    fail "apt-get could not install ${missing[*]} (apt-get update first?): $(tail -n 1 "$work/apt.log")"
}

# A database cluster of its own that listens on a socket in $work only.
postgres_programs=/usr/lib/postgresql/15/bin
postgres_init() {
  as_nobody "$postgres_programs/initdb" -D "$work/db" -A trust -U nobody >/dev/null
}
postgres_start() { # OPTION…: of the server, such as -c fsync=off
  as_nobody "$postgres_programs/pg_ctl" -w -s -D "$work/db" -l "$work/db/log" -o "-h '' -k $work $*" start >/dev/null ||
    fail "postgres did not start: $(tail -n 2 "$work/db/log")"
}
postgres_stop() {
  [ ! -e "$work/db/postmaster.pid" ] || as_nobody "$postgres_programs/pg_ctl" -s -D "$work/db" -m fast stop >/dev/null || true
}
postgres_target() { echo --pid "$(head -n 1 "$work/db/postmaster.pid")"; }
postgres_load() { # SECONDS CLIENTS OPTION…: prints transactions per second
  local seconds=$1 clients=$2
  shift 2
  "$postgres_programs/pgbench" -h "$work" -U nobody -n -c "$clients" -j 1 -T "$seconds" "$@" bench 2>&1 | awk '/^tps/{print $3}'
}
postgres_bench() { # SQL: a database named bench
  "$postgres_programs/createdb" -h "$work" -U nobody bench
  "$postgres_programs/psql" -q -h "$work" -U nobody -c "$1" bench
}

# Defaults
case_packages() { :; }
case_prepare() { :; }
case_start() { :; }
case_stop() { :; }
case_fixed() { :; }
case_whatif() { :; }
case_vain() { :; }
case_vain_whatif() { :; }
case_target() {
  local pid
  for pid in "${served[@]}"; do echo "--pid $pid"; done
}
build_remote() { # NAME
  gcc -O2 -g -pthread -o "$work/$1" "$root/cases/remote.c" && chmod 755 "$work/$1"
}
