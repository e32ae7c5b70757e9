# SPDX-License-Identifier: Apache-2.0
# A parallel query: the workers filter rows, but a function marked "parallel restricted" runs in the leader alone.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: a parallel query whose leader computes alone"; }
case_packages() { echo postgresql-15; }
case_fixed() { echo "the function marked parallel safe"; }
case_vain() { echo "a cheaper filter: LIKE instead of a regular expression"; }
case_prepare() { postgres_init; }
case_start() {
  local safety=restricted filter="payload ~ '[13579]x'"
  [ "$variant" != fixed ] || safety=safe
  [ "$variant" != vain ] || filter="payload like '%x%'"
  postgres_start -c max_parallel_workers_per_gather=2 -c min_parallel_table_scan_size=0 -c parallel_setup_cost=0 -c parallel_tuple_cost=0 -c shared_buffers=256MB -c jit=off
  if [ ! -e "$work/query.sql" ]; then
    postgres_bench "create table fact as select i as id, i % 997 as amount, md5(i::text) || case when i % 2 = 0 then '5x' else '' end as payload
                      from generate_series(1, 200000) i;
                    create function score(amount int) returns bigint language plpgsql as 'declare sum bigint := 0;
                      begin for i in 1..100 loop sum := sum + amount * i % 17; end loop; return sum; end';
                    analyze fact"
  fi
  "$postgres_programs/psql" -q -h "$work" -U nobody -c "alter function score parallel $safety" bench
  echo "select sum(score(amount)) from fact where $filter;" >"$work/query.sql"
}
case_target() { postgres_target; }
case_load() { postgres_load "$1" 1 -f "$work/query.sql"; }
# The first finding's first member, as gordian whatif wants its name.
first_member() {
  python3 - "$round/report.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1], encoding="utf-8"))
first = report["findings"][0]["members"][0]
vertex = next(vertex for vertex in report["vertices"] if vertex["id"] == first)
names = [other["name"] for other in report["vertices"]]
print(vertex.get("label") or (vertex["name"] if names.count(vertex["name"]) == 1 else f"{vertex['name']}/{vertex['tid']}"))
PYTHON
}
case_whatif() { echo "--add-thread=$(first_member)=1"; }
case_vain_whatif() { echo "--function=textregexeq=0.1"; }
case_stop() { postgres_stop; }
