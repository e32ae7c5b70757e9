// SPDX-License-Identifier: Apache-2.0
#include "whatif/score/flights.h"

#include <algorithm>

namespace gordian {

FlightsOf::FlightsOf(const Timeline& timeline, EntityId receiver) {
  const std::span<const MessageFlight> all = timeline.flights();
  const auto begin = std::ranges::lower_bound(all, receiver, {}, &MessageFlight::receiver);
  const auto end = std::ranges::upper_bound(all, receiver, {}, &MessageFlight::receiver);
  left_ = {begin, end};
}

const MessageFlight* FlightsOf::ReceivedAt(uint64_t received_ns) {
  while (!left_.empty() && left_.front().received_ns < received_ns) left_ = left_.subspan(1);
  if (left_.empty() || left_.front().received_ns != received_ns) return nullptr;
  const MessageFlight* const found = &left_.front();
  left_ = left_.subspan(1);
  return found;
}

}  // namespace gordian
