// SPDX-License-Identifier: Apache-2.0
#include "nodes/causality.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "nodes/thresholds.h"

namespace gordian {
namespace {

// A long recording has longer windows, so that their number stays the same.
constexpr uint64_t kMostWindows = 4096;
constexpr size_t kMostRounds = 8;

struct Flight {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t sent_ns = 0;      // on the clock of `from`
  uint64_t received_ns = 0;  // on the clock of `to`
  int64_t transit_ns = 0;    // as the clocks stood at first
};

using Key = std::tuple<uint32_t, uint32_t, uint64_t>;  // from, to, window

// A packet that is no message between two nodes tells nothing.
bool Tells(const Message& message) {
  return message.first_sent_ns != 0 && message.first_node != message.to_node;
}

struct Span {
  uint64_t first_ns = UINT64_MAX;
  uint64_t last_ns = 0;
};

// Of arrivals, on the receivers' clocks brought together, which keep each node's order.
Span SpanOf(std::span<const Message> messages, std::span<const Timeline* const> timelines,
            const std::vector<ClockMap>& maps) {
  std::vector<Span> on_node(maps.size());
  for (const Message& message : messages) {
    if (!Tells(message)) continue;
    Span& own = on_node[message.to_node];
    own.first_ns = std::min(own.first_ns, message.received_ns);
    own.last_ns = std::max(own.last_ns, message.received_ns);
  }
  Span span;
  for (size_t node = 0; node < maps.size(); ++node) {
    const Span& own = on_node[node];
    if (own.last_ns < own.first_ns) continue;
    const Pauses& pauses = timelines[node]->pauses();
    span.first_ns = std::min(span.first_ns, maps[node].ToReference(pauses.ClockTime(own.first_ns)));
    span.last_ns = std::max(span.last_ns, maps[node].ToReference(pauses.ClockTime(own.last_ns)));
  }
  return span;
}

// By the nodes' own clocks.
struct FlightTimes {
  uint64_t sent_ns = 0;
  uint64_t received_ns = 0;
};

FlightTimes TimesOf(const Message& message, std::span<const Timeline* const> timelines) {
  return {timelines[message.first_node]->pauses().ClockTime(message.first_sent_ns),
          timelines[message.to_node]->pauses().ClockTime(message.received_ns)};
}

std::vector<Flight> ShortestFlights(std::span<const Message> messages,
                                    std::span<const Timeline* const> timelines,
                                    const std::vector<ClockBounds>& bounds) {
  const std::vector<ClockMap> maps(bounds.begin(), bounds.end());
  const Span span = SpanOf(messages, timelines, maps);
  std::vector<Flight> kept;
  if (span.last_ns < span.first_ns) return kept;
  const uint64_t window_ns =
      std::max(kCausalityWindowNs, (span.last_ns - span.first_ns) / kMostWindows + 1);
  absl::flat_hash_map<Key, size_t> shortest;
  // Mostly the next message of a node is of the same window.
  std::vector<std::pair<Key, size_t>> latest(maps.size() * maps.size());
  std::vector<size_t> cursors(maps.size());
  for (const Message& message : messages) {
    if (!Tells(message)) continue;
    const uint32_t from = message.first_node;
    const uint32_t to = message.to_node;
    const FlightTimes times = TimesOf(message, timelines);
    const uint64_t sent_ns = maps[from].ToReference(times.sent_ns, cursors[from]);
    const uint64_t received_ns = maps[to].ToReference(times.received_ns, cursors[to]);
    const Flight flight{from, to, times.sent_ns, times.received_ns,
                        static_cast<int64_t>(received_ns - sent_ns)};
    const Key key{from, to, received_ns / window_ns};
    auto& [known, place] = latest[from * maps.size() + to];
    if (known != key) {
      const auto [found, is_new] = shortest.try_emplace(key, kept.size());
      if (is_new) kept.push_back(flight);
      known = key;
      place = found->second;
    }
    if (flight.transit_ns < kept[place].transit_ns) kept[place] = flight;
  }
  return kept;
}

uint64_t SumOfBounds(const std::vector<ClockBounds>& bounds, std::span<const Flight> flights) {
  uint64_t sum_ns = 0;
  for (const Flight& flight : flights) {
    sum_ns += bounds[flight.from].At(flight.sent_ns).half_width_ns() +
              bounds[flight.to].At(flight.received_ns).half_width_ns();
  }
  return sum_ns;
}

// All clocks learn from the bounds of the round before, so that the order of the nodes does not
// matter.
void TightenOnce(std::span<const Flight> flights, std::vector<ClockBounds>& bounds) {
  std::vector<std::vector<OffsetLimit>> limits(bounds.size());
  for (const Flight& flight : flights) {
    const auto sent_ns = static_cast<int64_t>(flight.sent_ns);
    const auto received_ns = static_cast<int64_t>(flight.received_ns);
    const int64_t earliest_ns = sent_ns + bounds[flight.from].At(flight.sent_ns).lowest_ns;
    limits[flight.to].push_back({flight.received_ns, earliest_ns - received_ns, true});
    const int64_t latest_ns = received_ns + bounds[flight.to].At(flight.received_ns).highest_ns;
    limits[flight.from].push_back({flight.sent_ns, latest_ns - sent_ns, false});
  }
  for (size_t node = 0; node < bounds.size(); ++node) bounds[node].Tighten(std::move(limits[node]));
}

// Calls use(message, whether it arrives before it was sent) for each message between two nodes.
template <typename Use>
void ForEachFlight(std::span<const Message> messages, std::span<const Timeline* const> timelines,
                   std::span<const ClockBounds> bounds, Use use) {
  std::vector<size_t> cursors(bounds.size());
  for (const Message& message : messages) {
    if (!Tells(message)) continue;
    const uint32_t from = message.first_node;
    const uint32_t to = message.to_node;
    const FlightTimes times = TimesOf(message, timelines);
    const int64_t earliest_ns = static_cast<int64_t>(times.sent_ns) +
                                bounds[from].At(times.sent_ns, cursors[from]).lowest_ns;
    const int64_t latest_ns = static_cast<int64_t>(times.received_ns) +
                              bounds[to].At(times.received_ns, cursors[to]).highest_ns;
    use(message, latest_ns < earliest_ns);
  }
}

// One node as it sees another that it exchanges messages with.
struct Partner {
  uint32_t node = 0;
  uint32_t other = 0;
  uint64_t contradictions = 0;
  bool is_contradicted = false;  // by most messages of one way
};

struct Quarrels {
  uint64_t partners = 0;
  uint64_t contradicted = 0;
  uint64_t messages = 0;
};

// Each pair twice, once for each of both.
std::vector<Partner> PartnersOf(std::span<const Message> messages,
                                std::span<const Timeline* const> timelines,
                                std::span<const ClockBounds> bounds) {
  struct Way {
    uint64_t messages = 0;
    uint64_t contradictions = 0;
    bool is_contradicted() const { return 2 * contradictions > messages; }
  };
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, std::array<Way, 2>> pairs;
  ForEachFlight(messages, timelines, bounds, [&](const Message& message, bool contradicts) {
    const uint32_t from = message.first_node;
    const uint32_t to = message.to_node;
    Way& way = pairs[{std::min(from, to), std::max(from, to)}][from < to ? 0 : 1];
    ++way.messages;
    way.contradictions += contradicts ? 1 : 0;
  });
  std::vector<Partner> partners;
  partners.reserve(2 * pairs.size());
  for (const auto& [pair, ways] : pairs) {
    const uint64_t contradictions = ways[0].contradictions + ways[1].contradictions;
    const bool is_contradicted = ways[0].is_contradicted() || ways[1].is_contradicted();
    partners.push_back({pair.first, pair.second, contradictions, is_contradicted});
    partners.push_back({pair.second, pair.first, contradictions, is_contradicted});
  }
  return partners;
}

// That of the reference, or of its kernel.
bool IsExact(const ClockBounds& bounds) {
  const auto points = bounds.points();
  return points.size() == 1 && points[0].range.lowest_ns == 0 && points[0].range.highest_ns == 0;
}

}  // namespace

std::vector<uint64_t> TightenByCausality(std::span<const Message> messages,
                                         std::span<const Timeline* const> timelines,
                                         std::vector<ClockBounds>& bounds) {
  const std::vector<Flight> flights = ShortestFlights(messages, timelines, bounds);
  uint64_t bound_ns = SumOfBounds(bounds, flights);
  for (size_t round = 0; round < kMostRounds; ++round) {
    TightenOnce(flights, bounds);
    const uint64_t before_ns = std::exchange(bound_ns, SumOfBounds(bounds, flights));
    if (bound_ns >= before_ns) break;
  }
  std::vector<uint64_t> contradictions(bounds.size());
  ForEachFlight(messages, timelines, bounds, [&](const Message& message, bool contradicts) {
    contradictions[message.to_node] += contradicts ? 1 : 0;
  });
  return contradictions;
}

std::vector<uint64_t> WrongClocks(std::span<const Message> messages,
                                  std::span<const Timeline* const> timelines,
                                  std::span<const ClockBounds> bounds) {
  const std::vector<Partner> partners = PartnersOf(messages, timelines, bounds);
  std::vector<uint64_t> wrong(bounds.size());
  while (true) {
    std::vector<Quarrels> quarrels(bounds.size());
    for (const Partner& partner : partners) {
      if (wrong[partner.node] != 0 || wrong[partner.other] != 0) continue;
      quarrels[partner.node].partners += 1;
      if (!partner.is_contradicted) continue;
      quarrels[partner.node].contradicted += 1;
      quarrels[partner.node].messages += partner.contradictions;
    }
    size_t worst = bounds.size();
    for (size_t node = 0; node < bounds.size(); ++node) {
      const Quarrels& own = quarrels[node];
      // Of two nodes that only contradict each other, either may be the wrong one.
      if (own.contradicted < 2 || 2 * own.contradicted <= own.partners) continue;
      if (IsExact(bounds[node])) continue;
      if (worst == bounds.size() || own.contradicted > quarrels[worst].contradicted) worst = node;
    }
    if (worst == bounds.size()) return wrong;
    wrong[worst] = quarrels[worst].messages;
  }
}

}  // namespace gordian
