// SPDX-License-Identifier: Apache-2.0
// The table of the kinds: one file and one row each. Inner to the library.
//
// A row holds the steps of the judgement that differ between kinds. All other code (limit_search,
// ranking, judge) walks over the rows and compares no kinds. docs/add-a-finding.md is a guide.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/findings/evidence/case.h"
#include "analyzer/findings/evidence/doubts.h"
#include "analyzer/findings/evidence/evidence.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/limit.h"
#include "analyzer/findings/evidence/natural_fix.h"

namespace gordian {

// Vertices that wait for each other, and for no other vertex of the scope that is still there.
struct Circle {
  const std::vector<uint32_t>& members;
  const std::vector<ScopeEdge>& edges;  // among them
  double waited_for = 0;                // by vertices outside of it
};

// A trouble that members of a limit have besides the limit.
struct Suffering {
  std::vector<Limit> before;  // worse than the limit itself
  std::vector<Limit> after;
};

struct KindRow {
  FindingKind kind;
  KindFacts facts;
  // A limit that waits rather than works: it counts only if it holds up a good part of the work.
  bool is_passive = false;

  // Detection. A kind has the functions that fit it. If several kinds could claim a vertex, the
  // first row gets it.
  //
  // A vertex that waits for no other vertex of the scope.
  std::optional<Limit> (*of_vertex)(const Evidence& evidence, uint32_t vertex) = nullptr;
  // A circle that holds no device and uses less than one CPU.
  std::optional<Limit> (*of_light_circle)(const Evidence& evidence, const Circle& circle) = nullptr;
  // A circle that refinement ended with.
  std::optional<Limit> (*of_circle)(const Evidence& evidence, const Circle& circle) = nullptr;
  void (*of_members)(const Evidence& evidence, const Limit& limit, Suffering& found) = nullptr;

  // Every kind of a recording has all of the functions below.
  std::string (*title)(const Case& it) = nullptr;
  std::vector<std::string> (*why)(const Case& it) = nullptr;
  std::vector<std::string> (*advice)(const Case& it) = nullptr;
  // Throughput afterwards over throughput before, at most.
  double (*upper_bound)(const Case& it) = nullptr;
  // Adds to the doubts that all kinds share.
  void (*doubts)(const Case& it, Confidence& confidence) = nullptr;
  NaturalFixes (*fixes)(const Case& it) = nullptr;
};

KindRow KnotKind();
KindRow SinkKind();
KindRow DeviceKind();
KindRow LatencyKind();
KindRow HeldBackKind();
KindRow SleepKind();
KindRow StarvationKind();
KindRow OutsideKind();
KindRow BackgroundKind();
KindRow PathKind();
KindRow BottleneckKind();
KindRow ImbalanceKind();
KindRow OutlierKind();
KindRow GapKind();

std::span<const KindRow> AllKinds();
const KindRow& RowOf(FindingKind kind);

// The first claim on a vertex.
std::optional<Limit> LimitOfVertex(const Evidence& evidence, uint32_t vertex);

}  // namespace gordian
