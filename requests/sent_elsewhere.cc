// SPDX-License-Identifier: Apache-2.0
#include "requests/sent_elsewhere.h"

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

// Numbers of TCP wrap at 4 GiB; counted on, they do not.
class SequenceCounter {
 public:
  explicit SequenceCounter(uint32_t first) : last_(first) {}
  int64_t Of(uint32_t sequence) {
    at_ += static_cast<int32_t>(sequence - last_);
    last_ = sequence;
    return at_;
  }

 private:
  uint32_t last_;
  int64_t at_ = 0;
};

struct SeenBytes {
  int64_t from = 0;
  int64_t to = 0;
};

// In order, without overlaps.
std::vector<SeenBytes> BytesToServer(std::span<const ConnectionData> data, uint32_t first) {
  std::vector<SeenBytes> all;
  SequenceCounter counter(first);
  for (const ConnectionData& part : data) {
    if (!part.to_server || part.bytes == 0) continue;
    const int64_t from = counter.Of(part.sequence);
    all.push_back({from, from + static_cast<int64_t>(part.bytes)});
  }
  std::sort(all.begin(), all.end(),
            [](const SeenBytes& a, const SeenBytes& b) { return a.from < b.from; });
  std::vector<SeenBytes> joined;
  for (const SeenBytes& bytes : all) {
    if (!joined.empty() && bytes.from <= joined.back().to)
      joined.back().to = std::max(joined.back().to, bytes.to);
    else
      joined.push_back(bytes);
  }
  return joined;
}

bool Holds(std::span<const SeenBytes> seen, int64_t byte) {
  const auto behind = std::partition_point(
      seen.begin(), seen.end(), [byte](const SeenBytes& bytes) { return bytes.from <= byte; });
  return behind != seen.begin() && byte < (behind - 1)->to;
}

}  // namespace

std::vector<ConnectionData> WithSentElsewhere(std::vector<ConnectionData> seen,
                                              std::span<const ConnectionData> sent,
                                              uint64_t flight_ns) {
  const auto is_of_client = [](const ConnectionData& part) {
    return part.to_server && part.bytes > 0 && part.thread != kNobody;
  };
  const auto first = std::find_if(sent.begin(), sent.end(), is_of_client);
  if (first == sent.end()) return seen;
  const std::vector<SeenBytes> arrived = BytesToServer(seen, first->sequence);
  SequenceCounter counter(first->sequence);
  std::vector<ConnectionData> unseen;
  for (const ConnectionData& part : sent) {
    if (!is_of_client(part) || Holds(arrived, counter.Of(part.sequence))) continue;
    unseen.push_back(part);
    unseen.back().time_ns += flight_ns;
  }
  if (unseen.empty()) return seen;
  seen.insert(seen.end(), unseen.begin(), unseen.end());
  std::stable_sort(seen.begin(), seen.end(), [](const ConnectionData& a, const ConnectionData& b) {
    return a.time_ns < b.time_ns;
  });
  return seen;
}

}  // namespace gordian
