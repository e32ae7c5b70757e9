// SPDX-License-Identifier: Apache-2.0
// What each thread did for requests: which it answered, and which it asked others for. Inner to the
// library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "requests/requests.h"

namespace gordian {

class RequestDeeds {
 public:
  explicit RequestDeeds(const FoundRequests& found);

  // The last time that the thread answered another request, behind from_ns and before until_ns; 0:
  // it did not.
  uint64_t LastAnswer(EntityId thread, const Request& request, uint64_t from_ns,
                      uint64_t until_ns) const;
  // When the request began that the thread answers next, at that time; 0: none is open.
  uint64_t StartOfOpen(EntityId thread, uint64_t time_ns) const;
  // Whether the thread asked for it on behalf of that request. Its own request belongs to the first
  // one that it answers later, had come before, and has none that overlaps it: a thread that serves
  // one at a time answers next what it asked for, and an event loop answers in the order in which
  // it gets its answers. A thread that answers nothing asks for any.
  bool IsFor(const Request& asked, EntityId thread, const Request& request) const;
  // Of those that the thread asked for, and were answered within [from_ns, until_ns], by answer.
  std::span<const Request* const> Asked(EntityId thread, uint64_t from_ns, uint64_t until_ns) const;
  // Whether its server is of the node that saw it.
  bool IsServed(const Request& request) const;
  // The same request as its server's own node saw it: null if that was not recorded.
  const Request* AsServed(const Request& asked) const;

 private:
  using Rows = absl::flat_hash_map<EntityId, std::vector<const Request*>>;
  static std::span<const Request* const> RowOf(const Rows& rows, EntityId thread);

  void FindOwners();

  const FoundRequests& found_;
  absl::flat_hash_map<const Request*, const Request*> owners_;  // of those that were asked for
  Rows answered_;                                               // by thread, then by answer
  Rows asked_;                                                  // likewise
  absl::flat_hash_map<FlowTuple, std::vector<const Request*>> served_;  // by start
};

}  // namespace gordian
