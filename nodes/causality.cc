// SPDX-License-Identifier: Apache-2.0
#include "nodes/causality.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/parallel.h"
#include "nodes/thresholds.h"

namespace gordian {
namespace {

// A long recording has longer windows, so that their number stays the same.
constexpr uint64_t kMostWindows = 4096;
constexpr size_t kMostRounds = 8;

using Key = std::tuple<uint32_t, uint32_t, uint64_t>;  // from, to, window

// A packet that is no message between two nodes tells nothing.
bool Tells(const Message& message) {
  return message.first_sent_ns != 0 && message.first_node != message.to_node;
}

// By the nodes' own clocks.
struct FlightTimes {
  uint64_t sent_ns = 0;
  uint64_t received_ns = 0;
};

FlightTimes TimesOf(const Message& message, std::span<const NodeFacts> nodes) {
  return {nodes[message.first_node].pauses.ClockTime(message.first_sent_ns),
          nodes[message.to_node].pauses.ClockTime(message.received_ns)};
}

// What flights tell of the clocks, as these stand.
struct ToldByFlights {
  uint64_t bounds_ns = 0;                        // of both clocks, at each flight
  std::vector<std::vector<OffsetLimit>> limits;  // by node
};

ToldByFlights ToldBy(std::span<const ClockFlight> flights, const std::vector<ClockBounds>& bounds) {
  ToldByFlights told{.limits = std::vector<std::vector<OffsetLimit>>(bounds.size())};
  std::vector<size_t> cursors(bounds.size());
  for (const ClockFlight& flight : flights) {
    const OffsetRange from = bounds[flight.from].At(flight.sent_ns, cursors[flight.from]);
    const OffsetRange to = bounds[flight.to].At(flight.received_ns, cursors[flight.to]);
    told.bounds_ns += from.half_width_ns() + to.half_width_ns();
    const auto sent_ns = static_cast<int64_t>(flight.sent_ns);
    const auto received_ns = static_cast<int64_t>(flight.received_ns);
    const int64_t earliest_ns = sent_ns + from.lowest_ns;
    told.limits[flight.to].push_back({flight.received_ns, earliest_ns - received_ns, true});
    const int64_t latest_ns = received_ns + to.highest_ns;
    told.limits[flight.from].push_back({flight.sent_ns, latest_ns - sent_ns, false});
  }
  return told;
}

// Calls use(message, whether it arrives before it was sent) for each message between two nodes.
template <typename Use>
void ForEachFlight(std::span<const Message> messages, std::span<const NodeFacts> nodes,
                   std::span<const ClockBounds> bounds, Use use) {
  std::vector<size_t> cursors(bounds.size());
  for (const Message& message : messages) {
    if (!Tells(message)) continue;
    const uint32_t from = message.first_node;
    const uint32_t to = message.to_node;
    const FlightTimes times = TimesOf(message, nodes);
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
std::vector<Partner> PartnersOf(std::span<const WayCount> ways) {
  struct Both {
    uint64_t contradictions = 0;
    bool is_contradicted = false;
  };
  std::map<std::pair<uint32_t, uint32_t>, Both> pairs;
  for (const WayCount& way : ways) {
    Both& both = pairs[{std::min(way.from, way.to), std::max(way.from, way.to)}];
    both.contradictions += way.contradictions;
    both.is_contradicted |= 2 * way.contradictions > way.messages;
  }
  std::vector<Partner> partners;
  partners.reserve(2 * pairs.size());
  for (const auto& [pair, both] : pairs) {
    partners.push_back({pair.first, pair.second, both.contradictions, both.is_contradicted});
    partners.push_back({pair.second, pair.first, both.contradictions, both.is_contradicted});
  }
  return partners;
}

// That of the reference, or of its kernel.
bool IsExact(const ClockBounds& bounds) {
  const auto points = bounds.points();
  return points.size() == 1 && points[0].range.lowest_ns == 0 && points[0].range.highest_ns == 0;
}

}  // namespace

uint64_t CausalityWindowNs(std::span<const NodeFacts> nodes, std::span<const ClockBounds> bounds) {
  uint64_t first_ns = UINT64_MAX;
  uint64_t last_ns = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ClockMap clock(bounds[i]);
    first_ns = std::min(first_ns, clock.ToReference(nodes[i].pauses.ClockTime(nodes[i].start_ns)));
    last_ns = std::max(last_ns, clock.ToReference(nodes[i].pauses.ClockTime(nodes[i].end_ns)));
  }
  return std::max(kCausalityWindowNs, (last_ns - std::min(first_ns, last_ns)) / kMostWindows + 1);
}

std::vector<ClockFlight> ShortestFlights(std::span<const Message> messages,
                                         std::span<const NodeFacts> nodes,
                                         std::span<const ClockBounds> bounds, uint64_t window_ns) {
  // Of the nodes that the messages are of: of a thousand, one talks to few.
  std::vector<std::optional<ClockMap>> maps(bounds.size());
  const auto map_of = [&](uint32_t node) -> const ClockMap& {
    if (!maps[node]) maps[node].emplace(bounds[node]);
    return *maps[node];
  };
  std::vector<ClockFlight> kept;
  absl::flat_hash_map<Key, size_t> shortest;
  // By sender's node. Mostly its next message is to the same node, and of the same window.
  std::vector<std::pair<Key, size_t>> latest(maps.size());
  std::vector<size_t> cursors(maps.size());
  for (const Message& message : messages) {
    if (!Tells(message)) continue;
    const uint32_t from = message.first_node;
    const uint32_t to = message.to_node;
    const FlightTimes times = TimesOf(message, nodes);
    const uint64_t sent_ns = map_of(from).ToReference(times.sent_ns, cursors[from]);
    const uint64_t received_ns = map_of(to).ToReference(times.received_ns, cursors[to]);
    const ClockFlight flight{from, to, times.sent_ns, times.received_ns,
                             static_cast<int64_t>(received_ns - sent_ns)};
    const Key key{from, to, received_ns / window_ns};
    auto& [known, place] = latest[from];
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

std::vector<WayCount> CountContradictions(std::span<const Message> messages,
                                          std::span<const NodeFacts> nodes,
                                          std::span<const ClockBounds> bounds) {
  std::map<std::pair<uint32_t, uint32_t>, WayCount> ways;
  std::vector<WayCount*> of_sender(bounds.size());
  ForEachFlight(messages, nodes, bounds, [&](const Message& message, bool contradicts) {
    const uint32_t from = message.first_node;
    const uint32_t to = message.to_node;
    WayCount*& way = of_sender[from];
    if (way == nullptr || way->to != to) {
      way = &ways[{to, from}];
      way->from = from;
      way->to = to;
    }
    ++way->messages;
    way->contradictions += contradicts ? 1 : 0;
  });
  std::vector<WayCount> counts;
  counts.reserve(ways.size());
  for (const auto& [key, way] : ways) counts.push_back(way);
  return counts;
}

// All clocks learn from the bounds of the round before, so that the order of the nodes does not
// matter.
void TightenByCausality(std::span<const ClockFlight> flights, std::vector<ClockBounds>& bounds,
                        int threads) {
  uint64_t before_ns = UINT64_MAX;
  for (size_t round = 0; round < kMostRounds; ++round) {
    ToldByFlights told = ToldBy(flights, bounds);
    if (round > 0 && told.bounds_ns >= before_ns) break;
    before_ns = told.bounds_ns;
    ParallelFor(ThreadCount(threads), bounds.size(),
                [&](size_t node, int) { bounds[node].Tighten(std::move(told.limits[node])); });
  }
}

std::vector<uint64_t> ContradictionsByNode(std::span<const WayCount> ways, size_t nodes) {
  std::vector<uint64_t> counts(nodes);
  for (const WayCount& way : ways) counts[way.to] += way.contradictions;
  return counts;
}

std::vector<uint64_t> WrongClocks(std::span<const WayCount> ways,
                                  std::span<const ClockBounds> bounds) {
  const std::vector<Partner> partners = PartnersOf(ways);
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
