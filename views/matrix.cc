// SPDX-License-Identifier: Apache-2.0
#include "views/matrix.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "report/vertex_names.h"
#include "views/amounts.h"
#include "views/matrix_maker.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Which unit of the matrix each entity of a graph is.
class EntityUnits {
 public:
  EntityUnits(const Analysis& analysis, const Units& units, const WaitForGraph& graph,
              const MatrixRequest& request)
      : analysis_(analysis),
        units_(units),
        graph_(graph),
        request_(request),
        names_(analysis.report()) {
    if (request.by_vertex) return;
    FindVirtualThreads();
  }

  MatrixUnit Of(EntityId id) const {
    const Timeline& timeline = analysis_.timeline();
    if (request_.by_vertex) {
      const uint32_t vertex = analysis_.merged_graph().vertex_of_entity[id];
      return {MatrixUnitKind::kVertex, vertex, names_.Name(vertex), kNoUnit};
    }
    if (id < timeline.thread_count()) return UnitNumbered(UnitOfThread(units_, request_.level, id));
    const auto members = unit_of_virtual_.find(id);
    if (members != unit_of_virtual_.end() && members->second != kNoUnit)
      return UnitNumbered(members->second);
    return Thing(id);
  }

 private:
  // A virtual thread belongs to the unit of all its members; if they have no such, it is a thing.
  void FindVirtualThreads() {
    for (EntityId id = 0; id < analysis_.timeline().thread_count(); ++id) {
      const EntityId into = graph_.entities[id].merged_into;
      if (into == kNobody) continue;
      const uint32_t unit =
          request_.level == UnitLevel::kThread ? kNoUnit : UnitOfThread(units_, request_.level, id);
      const auto [entry, is_new] = unit_of_virtual_.emplace(into, unit);
      if (entry->second != unit) entry->second = kNoUnit;
    }
  }

  MatrixUnit UnitNumbered(uint32_t unit) const {
    const uint32_t node = request_.level == UnitLevel::kRack ? kNoUnit : NodeOf(unit);
    return {MatrixUnitKind::kUnit, unit,
            UnitName(units_, request_.level, unit, analysis_.timeline()), node};
  }

  uint32_t NodeOf(uint32_t unit) const {
    switch (request_.level) {
      case UnitLevel::kThread:
        return analysis_.timeline().entities()[unit].node;
      case UnitLevel::kProcess:
        return units_.processes[unit].node;
      case UnitLevel::kContainer:
        return unit < units_.containers.size()
                   ? units_.containers[unit].node
                   : unit - static_cast<uint32_t>(units_.containers.size());
      case UnitLevel::kNode:
      case UnitLevel::kRack:
        break;
    }
    return unit;
  }

  MatrixUnit Thing(EntityId id) const {
    const Entity& entity = graph_.entities[id];
    std::string name = entity.name;
    uint32_t node = kNoUnit;
    switch (entity.kind) {
      case EntityKind::kVirtual:
        name = absl::StrCat(name, " (short-lived)");
        break;
      case EntityKind::kDisk:
      case EntityKind::kNic:
        node = entity.node;
        if (units_.nodes.size() > 1) name = absl::StrCat(units_.nodes[node].name, ": ", name);
        break;
      default:
        break;
    }
    return {MatrixUnitKind::kThing, id, CleanText(name), node};
  }

  const Analysis& analysis_;
  const Units& units_;
  const WaitForGraph& graph_;
  const MatrixRequest& request_;
  const VertexNames names_;
  std::map<EntityId, uint32_t> unit_of_virtual_;
};

}  // namespace

Matrix MatrixOfWaits(const Analysis& analysis, const Units& units, const MatrixRequest& request) {
  const WaitForGraph graph = GraphWithin(analysis, request.range);
  const EntityUnits entity_units(analysis, units, graph, request);
  MatrixMaker maker;
  std::vector<std::optional<uint32_t>> known(graph.entities.size());
  const auto number_of = [&](EntityId id) {
    if (!known[id]) known[id] = maker.Unit(entity_units.Of(id));
    return *known[id];
  };
  for (const Edge& edge : graph.edges)
    maker.Add(number_of(edge.from), number_of(edge.to),
              {.amount = edge.own_ns, .weight_ns = edge.weight_ns, .count = edge.count});
  return maker.Take(request.most_units);
}

Matrix MatrixOfTraffic(const WindowTraffic& traffic, const WindowSpan& windows, const Units& units,
                       const Timeline& timeline, const MatrixRequest& request) {
  const std::vector<uint32_t> unit_of = UnitsOfParties(traffic.traffic, units, request.level);
  MatrixMaker maker;
  std::vector<std::optional<uint32_t>> known(traffic.traffic.parties.size());
  const auto number_of = [&](uint32_t party) {
    if (known[party]) return *known[party];
    const TrafficParty& told = traffic.traffic.parties[party];
    const uint32_t unit = unit_of[party];
    MatrixUnit made{
        .kind = MatrixUnitKind::kOutside, .number = kNoUnit, .name = "", .node = kNoUnit};
    if (request.level != UnitLevel::kRack && told.node != kNoTrafficNode) made.node = told.node;
    if (unit == kNoUnit) {
      made.name = CleanText(told.name);
    } else {
      made.kind = MatrixUnitKind::kUnit;
      made.number = unit;
      made.name = UnitName(units, request.level, unit, timeline);
    }
    known[party] = maker.Unit(std::move(made));
    return *known[party];
  };
  for (const TrafficPair& pair : traffic.traffic.pairs) {
    const TrafficAmount amount = AmountWithin(traffic, pair, windows);
    if (amount.empty()) continue;
    maker.Add(number_of(pair.from), number_of(pair.to),
              {.amount = amount.payload_bytes, .weight_ns = 0, .count = amount.messages});
  }
  return maker.Take(request.most_units);
}

}  // namespace gordian
