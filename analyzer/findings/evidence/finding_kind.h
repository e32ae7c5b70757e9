// SPDX-License-Identifier: Apache-2.0
// The kinds of findings. A report names them in text; C++ compares them by this type alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schema/report.pb.h"

namespace gordian {

enum class FindingKind : uint8_t {
  // Of a recording. Each has a file in kinds/.
  kKnot,
  kSink,
  kDevice,
  kLatency,
  kHeldBack,
  kSleep,
  kStarvation,
  kOutside,
  kBackground,
  // Of a job of short-lived processes. report/job_path_report judges it.
  kPath,
  // Of a job's phases. jobs/ judges them.
  kBottleneck,
  kImbalance,
  kOutlier,
  kGap,
};

// The properties of a kind that the rooms above need.
struct KindFacts {
  const char* name = "";      // in reports
  const char* in_words = "";  // a knot of waits
  const char* if_gone = "";   // after "up to 2.0× throughput"
  bool limits = true;         // it may hold the program up
  bool of_phases = false;
  bool of_job = false;      // it tells of a job's critical path, and stands before all others
  bool works = false;       // its members' own work is the limit: the report tells where they run
  bool lacks_cpus = false;  // the report tells the users of the CPUs
};

const KindFacts& FactsOf(FindingKind kind);

// Gives nothing for a name of a later version.
std::optional<FindingKind> FindingKindOf(std::string_view name);
// For a kind of a later version: the properties of a limit without a name.
const KindFacts& FactsOf(const pb::Finding& finding);

}  // namespace gordian
