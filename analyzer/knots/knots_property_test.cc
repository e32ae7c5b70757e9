// SPDX-License-Identifier: Apache-2.0
// Refinement against its definition taken literally, on thousands of random graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "analyzer/knots/knots.h"

namespace gordian {
namespace {

// Search for components again after every removal: slow, and as plain as the definition.
class LiteralRefinement {
 public:
  LiteralRefinement(uint32_t vertex_count, RefineOptions options)
      : vertex_count_(vertex_count), options_(options) {}

  void Refine(const std::vector<uint32_t>& vertices, std::vector<KnotEdge> edges) {
    while (true) {
      if (vertices.size() == 1) return Emit(vertices, Loops(edges));
      const uint64_t lightest = std::min_element(edges.begin(), edges.end(), Lighter)->weight;
      const uint64_t heaviest = std::max_element(edges.begin(), edges.end(), Lighter)->weight;
      if (lightest > options_.threshold &&
          (options_.max_vertices == 0 || vertices.size() <= options_.max_vertices)) {
        return Emit(vertices, edges);
      }
      if (edges.size() == vertices.size()) return EmitCycle(vertices, edges);
      if (lightest == heaviest) return Emit(vertices, edges);
      std::erase_if(edges, [&](const KnotEdge& edge) { return edge.weight == lightest; });
      const Components parts = StrongComponents(vertex_count_, edges);
      if (parts.members[parts.component_of[vertices[0]]].size() == vertices.size()) continue;
      return RefineParts(vertices, edges, parts);
    }
  }

  std::vector<RefinedPiece> pieces;

 private:
  static bool Lighter(const KnotEdge& a, const KnotEdge& b) { return a.weight < b.weight; }

  std::vector<KnotEdge> Loops(const std::vector<KnotEdge>& edges) const {
    std::vector<KnotEdge> loops;
    for (const KnotEdge& edge : edges) {
      if (edge.weight > options_.threshold && edge.matters) loops.push_back(edge);
    }
    return loops;
  }

  void Emit(std::vector<uint32_t> vertices, std::vector<KnotEdge> edges) {
    pieces.push_back({std::move(vertices), std::move(edges)});
  }

  void EmitCycle(const std::vector<uint32_t>& vertices, const std::vector<KnotEdge>& edges) {
    bool cut = false;
    for (const KnotEdge& edge : edges) {
      if (edge.matters) continue;
      Emit({edge.from}, {});
      cut = true;
    }
    if (!cut) Emit(vertices, edges);
  }

  void RefineParts(const std::vector<uint32_t>& vertices, const std::vector<KnotEdge>& edges,
                   const Components& parts) {
    for (const std::vector<uint32_t>& part : parts.members) {
      if (std::find(vertices.begin(), vertices.end(), part[0]) == vertices.end()) continue;
      const uint32_t number = parts.component_of[part[0]];
      std::vector<KnotEdge> inner;
      bool way_out = false;
      for (const KnotEdge& edge : edges) {
        if (parts.component_of[edge.from] != number) continue;
        if (parts.component_of[edge.to] == number) {
          inner.push_back(edge);
        } else {
          way_out = true;
        }
      }
      if (!way_out) Refine(part, inner);
    }
  }

  uint32_t vertex_count_;
  RefineOptions options_;
};

struct Case {
  uint32_t vertex_count;
  std::vector<KnotEdge> edges;
  RefineOptions options;
};

// A circle through all vertices makes it strongly connected; few weights make ties.
Case AnyCase() {
  Case random;
  random.vertex_count = *rc::gen::inRange(2, 9);
  const int heaviest = *rc::gen::element(3, 12, 1000);
  const auto add = [&](uint32_t from, uint32_t to) {
    for (const KnotEdge& edge : random.edges) {
      if (edge.from == from && edge.to == to) return;
    }
    random.edges.push_back({from, to, static_cast<uint64_t>(*rc::gen::inRange(1, heaviest)),
                            *rc::gen::inRange(0, 4) > 0});
  };
  for (uint32_t i = 0; i < random.vertex_count; ++i) add(i, (i + 1) % random.vertex_count);
  const int more = *rc::gen::inRange(0, 30);
  for (int i = 0; i < more; ++i) {
    add(*rc::gen::inRange(0u, random.vertex_count), *rc::gen::inRange(0u, random.vertex_count));
  }
  random.options.threshold = *rc::gen::inRange(0, heaviest + 2);
  random.options.max_vertices = *rc::gen::element(0, 0, 2, 4);
  return random;
}

bool Before(const KnotEdge& a, const KnotEdge& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  return a.from != b.from ? a.from < b.from : a.to < b.to;
}

std::string Text(std::vector<RefinedPiece> pieces) {
  for (RefinedPiece& piece : pieces) {
    std::sort(piece.vertices.begin(), piece.vertices.end());
    std::sort(piece.edges.begin(), piece.edges.end(), Before);
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const RefinedPiece& a, const RefinedPiece& b) { return a.vertices < b.vertices; });
  std::string text;
  for (const RefinedPiece& piece : pieces) {
    text += "{";
    for (const uint32_t vertex : piece.vertices) text += " " + std::to_string(vertex);
    text += " |";
    for (const KnotEdge& edge : piece.edges) {
      text += " " + std::to_string(edge.from) + ">" + std::to_string(edge.to);
    }
    text += " } ";
  }
  return text;
}

RC_GTEST_PROP(RefineProperties, EqualsTheLiteralDefinition, ()) {
  const Case random = AnyCase();
  std::vector<uint32_t> all(random.vertex_count);
  std::iota(all.begin(), all.end(), 0u);
  LiteralRefinement literal(random.vertex_count, random.options);
  literal.Refine(all, random.edges);
  const Refinement refinement = Refine(random.vertex_count, random.edges, random.options);
  RC_ASSERT(Text(refinement.pieces) == Text(literal.pieces));
}

RC_GTEST_PROP(RefineProperties, PiecesAreDisjointSubsetsAndNeverNone, ()) {
  const Case random = AnyCase();
  const Refinement refinement = Refine(random.vertex_count, random.edges, random.options);
  RC_ASSERT(!refinement.pieces.empty());
  std::vector<int> seen(random.vertex_count);
  for (const RefinedPiece& piece : refinement.pieces) {
    for (const uint32_t vertex : piece.vertices) RC_ASSERT(++seen[vertex] == 1);
    for (const KnotEdge& edge : piece.edges) {
      RC_ASSERT(std::count(piece.vertices.begin(), piece.vertices.end(), edge.from) == 1);
      RC_ASSERT(std::count(piece.vertices.begin(), piece.vertices.end(), edge.to) == 1);
    }
  }
}

RC_GTEST_PROP(RefineProperties, NamesOfVerticesDoNotMatter, ()) {
  const Case random = AnyCase();
  std::vector<uint32_t> name(random.vertex_count);
  std::iota(name.begin(), name.end(), 0u);
  const uint32_t turn = *rc::gen::inRange(1u, random.vertex_count);
  std::rotate(name.begin(), name.begin() + turn, name.end());
  std::swap(name[0], name[random.vertex_count / 2]);

  std::vector<KnotEdge> renamed_edges = random.edges;
  for (KnotEdge& edge : renamed_edges) {
    edge.from = name[edge.from];
    edge.to = name[edge.to];
  }
  std::reverse(renamed_edges.begin(), renamed_edges.end());
  std::vector<RefinedPiece> expected =
      Refine(random.vertex_count, random.edges, random.options).pieces;
  for (RefinedPiece& piece : expected) {
    for (uint32_t& vertex : piece.vertices) vertex = name[vertex];
    for (KnotEdge& edge : piece.edges) {
      edge.from = name[edge.from];
      edge.to = name[edge.to];
    }
  }
  RC_ASSERT(Text(Refine(random.vertex_count, renamed_edges, random.options).pieces) ==
            Text(expected));
}

RC_GTEST_PROP(RefineProperties, ExplainedRemovalsAndTheEdgesLeftAreApart, ()) {
  Case random = AnyCase();
  random.options.explain = true;
  const Refinement refinement = Refine(random.vertex_count, random.edges, random.options);
  std::vector<std::pair<uint32_t, uint32_t>> removed;
  for (const RefineStep& step : refinement.steps) {
    if (step.action != RefineStep::Action::kRemoved) continue;
    removed.emplace_back(step.edge.from, step.edge.to);
  }
  std::sort(removed.begin(), removed.end());
  RC_ASSERT(std::adjacent_find(removed.begin(), removed.end()) == removed.end());
  for (const RefinedPiece& piece : refinement.pieces) {
    for (const KnotEdge& edge : piece.edges) {
      RC_ASSERT(
          !std::binary_search(removed.begin(), removed.end(), std::make_pair(edge.from, edge.to)));
    }
  }
}

RC_GTEST_PROP(ComponentProperties, TheCondensationHasNoCycle, ()) {
  const Case random = AnyCase();
  std::vector<KnotEdge> edges;
  for (const KnotEdge& edge : random.edges) {
    if (edge.weight % 2 == 0) edges.push_back(edge);
  }
  const Components components = StrongComponents(random.vertex_count, edges);
  std::vector<KnotEdge> between;
  for (const KnotEdge& edge : edges) {
    const uint32_t from = components.component_of[edge.from];
    const uint32_t to = components.component_of[edge.to];
    if (from != to) between.push_back({from, to, 1});
  }
  const auto count = static_cast<uint32_t>(components.members.size());
  RC_ASSERT(StrongComponents(count, between).members.size() == count);
}

}  // namespace
}  // namespace gordian
