// SPDX-License-Identifier: Apache-2.0
// Writes questions for the fuzzer to start from into the folder it is given: all saved ones, all
// examples, and hostile ones.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "query/library.h"
#include "query/query.h"

namespace {

constexpr const char* kHostile[] = {
    "ATTACH 'x' AS c; SELECT 1",
    "VACUUM INTO 'x'",
    "PRAGMA journal_mode = WAL",
    "SELECT load_extension('x'), writefile('x', 'y'), readfile('x'), edit('x')",
    "CREATE TEMP TABLE x AS SELECT * FROM thread",
    "INSERT INTO thread(id) VALUES (1) RETURNING *",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT group_concat(i) FROM n",
    "SELECT zeroblob(1000000000), printf('%.*c', 100000000, 'x'), randomblob(-1)",
    "SELECT replace(hex(zeroblob(400000)), '0', '00')",
    "SELECT * FROM segment a, segment b, segment c, edge d ORDER BY a.begin_ns * b.end_ns",
    "SELECT * FROM slice(0, 5, 'forward', 'thread', 3, 1, 'wake,disk', 0, 1e18)",
    "SELECT a.name FROM thread t JOIN aggregate('function', t.id, t.end_ns) a ON a.run_ns > 0",
    "SELECT * FROM participation(0, 9223372036854775807, 1, 'link')",
    "SELECT * FROM critical_path(-1, x'00', 1e300) UNION SELECT * FROM b.critical_path",
    "SELECT kind, count(*) FROM segment WHERE thread IN (0, 1, NULL, '2', 3.5) GROUP BY kind, cpu",
    "SELECT DISTINCT cause, cpu, open FROM b.segment WHERE begin_ns BETWEEN -5 AND 1e19",
    "SELECT * FROM span WHERE end_ns >= 9223372036854775807 OR thread = 1 AND begin_ns > 3",
    "SELECT * FROM event WHERE kind IN ('switch', 'wake') AND ns < 100 ORDER BY ns",
    "SELECT rowid, * FROM edge WHERE rowid IN (SELECT rowid FROM edge LIMIT 3)",
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  std::vector<std::string> seeds(std::begin(kHostile), std::end(kHostile));
  for (const gordian::SavedQuery& saved : gordian::SavedQueries()) seeds.push_back(saved.sql);
  for (const std::string& example : gordian::SchemaExamples()) seeds.push_back(example);
  int number = 0;
  for (const std::string& seed : seeds) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "fuzz_sql_seeds: %s\n", error.what());
  return 1;
}
