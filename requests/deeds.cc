// SPDX-License-Identifier: Apache-2.0
#include "requests/deeds.h"

#include <algorithm>
#include <tuple>

namespace gordian {
namespace {

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
      if (request.client != kNobody) asked_[request.client].push_back(&request);
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
