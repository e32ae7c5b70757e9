// SPDX-License-Identifier: Apache-2.0
// Finds the disk request whose completion ended a wait.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

struct PathRequest {
  uint64_t issue_ns = 0;
  EntityId issuer = kNobody;
};

class RequestIndex {
 public:
  explicit RequestIndex(const Timeline& timeline);

  // The last request of `thread` itself that completed within [from_ns, to_ns]; else the last of
  // any thread.
  std::optional<PathRequest> Find(uint32_t device, EntityId thread, uint64_t from_ns,
                                  uint64_t to_ns) const;

 private:
  struct Completion {
    uint32_t device = 0;
    EntityId issuer = kNobody;
    uint64_t done_ns = 0;
    uint64_t issue_ns = 0;
  };
  std::vector<Completion> by_time_;    // of a device
  std::vector<Completion> by_issuer_;  // of a device and a thread, by time
};

// The request whose completion ended a thread's wait for a disk at that time. Nothing if it is not
// known, nor who on that node asked for it, or if it was asked for no earlier.
std::optional<PathRequest> RequestThatWoke(const Timeline& timeline, const RequestIndex& requests,
                                           EntityId thread, uint64_t woken_ns);

}  // namespace gordian
