// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/code_similarity.h"

#include <algorithm>
#include <utility>

#include "analyzer/graph/thresholds.h"

namespace gordian {
namespace {

// Calls `visit` with both shares of each place, in order of places.
template <typename Visit>
void VisitPlaces(const CodeProfile& a, const CodeProfile& b, Visit visit) {
  auto one = a.shares.begin();
  auto other = b.shares.begin();
  while (one != a.shares.end() || other != b.shares.end()) {
    const bool only_one =
        other == b.shares.end() || (one != a.shares.end() && one->place < other->place);
    const bool only_other =
        one == a.shares.end() || (other != b.shares.end() && other->place < one->place);
    visit(only_one ? one->place : other->place, only_other ? 0 : one->share,
          only_one ? 0 : other->share);
    if (!only_other) ++one;
    if (!only_one) ++other;
  }
}

}  // namespace

bool SaysEnough(const CodeProfile& profile) {
  return profile.samples >= kFewestCodeSamples && profile.named >= kLeastNamed;
}

double EqualShare(const CodeProfile& a, const CodeProfile& b) {
  double equal = 0;
  VisitPlaces(a, b, [&](uint32_t, double one, double other) { equal += std::min(one, other); });
  return equal;
}

double OverlapOf(const CodeProfile& a, const CodeProfile& b) {
  double of_a = 0;
  double of_b = 0;
  VisitPlaces(a, b, [&](uint32_t, double one, double other) {
    if (one <= 0 || other <= 0) return;
    of_a += one;
    of_b += other;
  });
  return std::max(of_a, of_b);
}

bool AreNearlyEqual(const CodeProfile& a, const CodeProfile& b) {
  return SaysEnough(a) && SaysEnough(b) && EqualShare(a, b) >= kNearlyEqual;
}

bool ClearlyDiffer(const CodeProfile& a, const CodeProfile& b) {
  return SaysEnough(a) && SaysEnough(b) && OverlapOf(a, b) < kClearlyDifferent;
}

void Add(const CodeProfile& from, CodeProfile& into) {
  const uint64_t samples = from.samples + into.samples;
  if (from.samples == 0) return;
  const double weight = static_cast<double>(from.samples) / static_cast<double>(samples);
  CodeProfile sum{.samples = samples, .named = weight * from.named + (1 - weight) * into.named};
  VisitPlaces(from, into, [&](uint32_t place, double one, double other) {
    sum.shares.push_back({place, weight * one + (1 - weight) * other});
  });
  into = std::move(sum);
}

}  // namespace gordian
