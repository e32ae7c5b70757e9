// SPDX-License-Identifier: Apache-2.0
#include "requests/deeds.h"

#include <algorithm>
#include <tuple>

namespace gordian {
namespace {

// An event loop has at most so many requests open that were answered by others before it answers
// them; beyond, it is not told which asked.
constexpr size_t kMostOwnersTried = 4096;

auto FirstAnsweredFrom(std::span<const Request* const> row, uint64_t time_ns) {
  return std::partition_point(row.begin(), row.end(), [time_ns](const Request* request) {
    return request->answer_ns < time_ns;
  });
}

}  // namespace

RequestDeeds::RequestDeeds(const FoundRequests& found) : found_(found) {
  for (const std::vector<Request>* all : {&found.requests, &found.others}) {
    for (const Request& request : *all) {
      if (request.connection == kNoConnection) continue;
      const RequestConnection& connection = found.connections[request.connection];
      if (connection.is_served) {
        if (request.thread != kNobody) answered_[request.thread].push_back(&request);
        served_[connection.to_server].push_back(&request);
      }
      if (request.client != kNobody && connection.is_asked)
        asked_[request.client].push_back(&request);
    }
  }
  const auto sort = [](auto& rows, auto key) {
    for (auto& [of, row] : rows)
      std::sort(row.begin(), row.end(), [key](const Request* a, const Request* b) {
        return std::tuple(a->*key, a->connection) < std::tuple(b->*key, b->connection);
      });
  };
  sort(answered_, &Request::answer_ns);
  sort(asked_, &Request::answer_ns);
  sort(served_, &Request::start_ns);
  FindOwners();
}

void RequestDeeds::FindOwners() {
  for (const auto& [thread, asked] : asked_) {
    const auto answered = RowOf(answered_, thread);
    absl::flat_hash_map<const Request*, uint64_t> answered_until_ns;  // of a request's own ones
    for (const Request* own : asked) {
      auto at = FirstAnsweredFrom(answered, own->answer_ns);
      for (size_t tries = 0; at != answered.end() && tries < kMostOwnersTried; ++at, ++tries) {
        if ((*at)->start_ns > own->start_ns) continue;
        uint64_t& until_ns = answered_until_ns[*at];
        if (until_ns > own->start_ns) continue;
        until_ns = own->answer_ns;
        owners_[own] = *at;
        break;
      }
    }
  }
}

bool RequestDeeds::IsFor(const Request& asked, EntityId thread, const Request& request) const {
  // A phase is its thread's own word for what it works on.
  if (request.connection == kNoConnection || !answered_.contains(thread)) return true;
  const auto owner = owners_.find(&asked);
  return owner != owners_.end() && owner->second->connection == request.connection &&
         owner->second->answer_ns == request.answer_ns;
}

std::span<const Request* const> RequestDeeds::RowOf(const Rows& rows, EntityId thread) {
  const auto found = rows.find(thread);
  return found == rows.end() ? std::span<const Request* const>() : found->second;
}

uint64_t RequestDeeds::LastAnswer(EntityId thread, const Request& request, uint64_t from_ns,
                                  uint64_t until_ns) const {
  const auto row = RowOf(answered_, thread);
  for (auto at = FirstAnsweredFrom(row, until_ns); at != row.begin();) {
    const Request& other = **--at;
    if (other.answer_ns <= from_ns) break;
    if (other.connection != request.connection) return other.answer_ns;
  }
  return 0;
}

uint64_t RequestDeeds::StartOfOpen(EntityId thread, uint64_t time_ns) const {
  const auto row = RowOf(answered_, thread);
  const auto next = FirstAnsweredFrom(row, time_ns);
  return next != row.end() && (*next)->start_ns <= time_ns ? (*next)->start_ns : 0;
}

std::span<const Request* const> RequestDeeds::Asked(EntityId thread, uint64_t from_ns,
                                                    uint64_t until_ns) const {
  const auto row = RowOf(asked_, thread);
  const auto first = FirstAnsweredFrom(row, from_ns);
  return {first, std::max(first, FirstAnsweredFrom(row, until_ns + 1))};
}

bool RequestDeeds::IsServed(const Request& request) const {
  return found_.connections[request.connection].is_served;
}

const Request* RequestDeeds::AsServed(const Request& asked) const {
  const RequestConnection& connection = found_.connections[asked.connection];
  const auto row = served_.find(connection.to_server);
  if (row == served_.end()) return nullptr;
  // The last that had begun before the answer came: turns do not overlap, and clocks are closer to
  // each other than turns.
  const auto behind = std::partition_point(
      row->second.begin(), row->second.end(),
      [&](const Request* served) { return served->start_ns < asked.answer_ns; });
  if (behind == row->second.begin()) return nullptr;
  const Request* const served = *(behind - 1);
  return served->answer_ns > asked.start_ns ? served : nullptr;
}

}  // namespace gordian
