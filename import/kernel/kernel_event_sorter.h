// SPDX-License-Identifier: Apache-2.0
// Puts the events of a trace in order of time, in bounded memory. Equal times keep their order.
//
// Formats have one buffer per CPU, or none of any order. Sorted stretches that do not follow each
// other lie in a file without a name and are merged at the end. A trace that is in order already
// has one stretch, and a small one needs no file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/file_descriptor.h"
#include "import/kernel/kernel_event.h"

namespace gordian {

class KernelEventSorter {
 public:
  static constexpr size_t kHeldEvents = 128u << 10;  // 7 MiB

  // The file is made in `directory`, if one is needed.
  explicit KernelEventSorter(std::string directory, size_t held_events = kHeldEvents)
      : directory_(std::move(directory)), held_events_(held_events) {}

  absl::Status Add(const KernelEvent& event);
  // Gives all events and ends at the first error.
  absl::Status Drain(const std::function<absl::Status(const KernelEvent&)>& take);

 private:
  struct Stretch {
    uint64_t begin = 0;  // in events of the file
    uint64_t end = 0;
    uint64_t last_time_ns = 0;
  };
  class Reader;

  void SortHeld();
  absl::Status Spill();
  absl::Status Merge(const std::function<absl::Status(const KernelEvent&)>& take) const;

  std::string directory_;
  size_t held_events_;
  std::vector<KernelEvent> held_;
  std::vector<Stretch> stretches_;
  FileDescriptor file_;
};

}  // namespace gordian
