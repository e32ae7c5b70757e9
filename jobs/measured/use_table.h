// SPDX-License-Identifier: Apache-2.0
// Collects the use of one resource.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/job/job.h"
#include "jobs/measured/measured.h"

namespace gordian {

enum class UseKind : uint8_t { kOwn, kHelpers };

class UseTable {
 public:
  // Only use within [start_ns, end_ns) counts; the rest is cut off.
  UseTable(uint64_t start_ns, uint64_t end_ns, uint64_t slice_ns);

  // That long; kNoId: unattributed.
  void AddTime(UseKind kind, PhaseId phase, uint64_t from_ns, uint64_t to_ns);
  void AddAt(UseKind kind, PhaseId phase, uint64_t time_ns, uint64_t amount);

  // Moves the contents of `other` in here.
  void Take(UseTable& other);
  // Sorts, and writes all of it to `resource`, with the totals.
  void Finish(const Job& job, MeasuredResource& resource);

 private:
  struct Row {
    PhaseId phase = 0;
    uint32_t slice = 0;
    uint64_t amount = 0;
  };
  void Add(UseKind kind, PhaseId phase, uint32_t slice, uint64_t amount);
  static UseRows Sorted(std::vector<Row>& rows);

  uint64_t start_ns_;
  uint64_t end_ns_;
  uint64_t slice_ns_;
  std::vector<Row> own_;  // neighbours differ in phase or slice
  std::vector<Row> helpers_;
  std::vector<uint64_t> unattributed_;
};

}  // namespace gordian
