// SPDX-License-Identifier: Apache-2.0
// Two recordings side by side: what became of findings and waits, and how threads spent their time.
//
// As JSON (/api/R/compare?with=R2; R is before, R2 is after):
//   {"diff": ReportDiff of schema/listings.proto, "edges_left_out": 0, "uses_left_out": 0,
//    "uses": [{"name": "server", "kind": "thread", "in_scope": true,
//              "before": {"threads": 4, "run": 0.5, "runnable": 0.1, "wait": 3.4}, "after": {…}}]}
// run, runnable, wait: seconds in a second of the recording, of all threads of that name together;
// so recordings of different length compare. Of devices `run` is the time with something in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// More no picture shows, and of whole machines there are tens of thousands.
inline constexpr size_t kMostComparedEdges = 1000;
inline constexpr size_t kMostComparedUses = 500;

struct ComparedUse {
  uint64_t threads = 0;  // of devices: how many
  double run = 0;
  double runnable = 0;
  double wait = 0;
};

struct ComparedName {
  std::string name;  // as the diff names it
  std::string kind;  // of the report's vertices
  bool in_scope = false;
  ComparedUse before;
  ComparedUse after;
};

struct ComparedReports {
  pb::ReportDiff diff;  // of its edges those that changed most
  uint64_t edges_left_out = 0;
  std::vector<ComparedName> uses;  // those that changed most first
  uint64_t uses_left_out = 0;
};

ComparedReports CompareReports(const pb::Report& before, const pb::Report& after);

}  // namespace gordian
