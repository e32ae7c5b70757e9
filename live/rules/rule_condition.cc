// SPDX-License-Identifier: Apache-2.0
#include "live/rules/rule_condition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "words/parse_quantities.h"

namespace gordian {
namespace {

enum class BoundUnit { kShare, kNumber, kTime };
enum class NamesAfter { kNone, kMaybeKind, kOne, kTwo };

struct QuantityWord {
  std::string_view word;
  RuleQuantity quantity;
  NamesAfter names;
  BoundUnit unit;
};

constexpr std::array<QuantityWord, 15> kQuantities = {{
    {"share", RuleQuantity::kShare, NamesAfter::kMaybeKind, BoundUnit::kShare},
    {"gain", RuleQuantity::kGain, NamesAfter::kNone, BoundUnit::kNumber},
    {"participation", RuleQuantity::kParticipation, NamesAfter::kOne, BoundUnit::kShare},
    {"run", RuleQuantity::kRun, NamesAfter::kOne, BoundUnit::kShare},
    {"wait", RuleQuantity::kWait, NamesAfter::kTwo, BoundUnit::kShare},
    {"stalled", RuleQuantity::kStalled, NamesAfter::kNone, BoundUnit::kShare},
    {"unknown", RuleQuantity::kUnknown, NamesAfter::kNone, BoundUnit::kShare},
    {"cpus", RuleQuantity::kCpus, NamesAfter::kNone, BoundUnit::kShare},
    {"disk", RuleQuantity::kDisk, NamesAfter::kNone, BoundUnit::kShare},
    {"lost", RuleQuantity::kLost, NamesAfter::kNone, BoundUnit::kNumber},
    {"lag", RuleQuantity::kLag, NamesAfter::kNone, BoundUnit::kTime},
    {"open-waits", RuleQuantity::kOpenWaits, NamesAfter::kNone, BoundUnit::kNumber},
    {"lost-nodes", RuleQuantity::kLostNodes, NamesAfter::kNone, BoundUnit::kNumber},
    {"requests", RuleQuantity::kRequests, NamesAfter::kNone, BoundUnit::kNumber},
    {"request-time", RuleQuantity::kRequestTime, NamesAfter::kNone, BoundUnit::kTime},
}};

absl::Status Wrong(std::string_view what) { return absl::InvalidArgumentError(std::string(what)); }

std::string KnownQuantities() {
  std::string known = "finding";
  for (const QuantityWord& quantity : kQuantities)
    absl::StrAppend(&known, ", ", std::string(quantity.word));
  return known;
}

// The words of conditions, taken one after the other.
class ConditionReader {
 public:
  explicit ConditionReader(std::span<const RuleWord> words) : words_(words) {}

  absl::StatusOr<std::vector<RuleCondition>> ReadAll() {
    std::vector<RuleCondition> conditions;
    do {
      auto condition = ReadOne();
      if (!condition.ok()) return condition.status();
      conditions.push_back(*std::move(condition));
    } while (Take("and"));
    if (!words_.empty())
      return Wrong(absl::StrCat("'", words_[0].text,
                                "' stands behind a whole condition; 'and' "
                                "joins two"));
    return conditions;
  }

 private:
  bool Take(std::string_view word) {
    if (words_.empty() || !words_[0].Is(word)) return false;
    words_ = words_.subspan(1);
    return true;
  }

  absl::StatusOr<std::string> TakeName(std::string_view what) {
    if (words_.empty() || words_[0].text.empty())
      return Wrong(absl::StrCat(std::string(what), " is missing"));
    std::string name = words_[0].text;
    words_ = words_.subspan(1);
    return name;
  }

  absl::StatusOr<std::string> TakeKind() {
    auto kind = TakeName("a kind of finding");
    if (kind.ok() && !FindingKindOf(*kind))
      return Wrong(
          absl::StrCat("'", *kind, "' is no kind of finding, as knot, sink or device are"));
    return kind;
  }

  absl::StatusOr<RuleCondition> ReadOne() {
    if (Take("finding")) return ReadFindingIs();
    if (words_.empty())
      return Wrong(absl::StrCat("a condition is missing; it begins with ", KnownQuantities()));
    for (const QuantityWord& quantity : kQuantities)
      if (Take(quantity.word)) return ReadComparison(quantity);
    return Wrong(absl::StrCat("no condition begins with '", words_[0].text, "', but with ",
                              KnownQuantities()));
  }

  absl::StatusOr<RuleCondition> ReadFindingIs() {
    RuleCondition condition{.quantity = RuleQuantity::kFindingIs};
    if (!Take("is")) return Wrong("'is' and a kind must follow 'finding'");
    auto kind = TakeKind();
    if (!kind.ok()) return kind.status();
    condition.name = *kind;
    if (!Take("of")) return condition;
    auto member = TakeName("the finding's member");
    if (!member.ok()) return member.status();
    condition.other = *member;
    return condition;
  }

  absl::Status ReadNames(const QuantityWord& quantity, RuleCondition& condition) {
    const std::string word(quantity.word);
    if (quantity.names == NamesAfter::kMaybeKind && Take("of")) {
      auto kind = TakeKind();
      if (!kind.ok()) return kind.status();
      condition.name = *kind;
    }
    if (quantity.names == NamesAfter::kOne) {
      if (!Take("of")) return Wrong(absl::StrCat("'of' and a name must follow '", word, "'"));
      auto name = TakeName(absl::StrCat("the name behind '", word, " of'"));
      if (!name.ok()) return name.status();
      condition.name = *name;
    }
    if (quantity.names == NamesAfter::kTwo) {
      auto from = TakeName("the name of who waits");
      if (!from.ok()) return from.status();
      if (!Take("->") && !Take("→")) return Wrong("'->' must stand between the two of a wait");
      auto to = TakeName("the name of what is waited for");
      if (!to.ok()) return to.status();
      condition.name = *from;
      condition.other = *to;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<RuleCondition> ReadComparison(const QuantityWord& quantity) {
    RuleCondition condition{.quantity = quantity.quantity};
    if (const absl::Status names = ReadNames(quantity, condition); !names.ok()) return names;
    if (Take(">")) {
      condition.comparison = Comparison::kAbove;
    } else if (Take(">=")) {
      condition.comparison = Comparison::kAtLeast;
    } else if (Take("<")) {
      condition.comparison = Comparison::kBelow;
    } else if (Take("<=")) {
      condition.comparison = Comparison::kAtMost;
    } else {
      return Wrong(absl::StrCat("one of > >= < <= must follow '", std::string(quantity.word),
                                "' between blanks"));
    }
    const auto bound = ReadBound(quantity.unit);
    if (!bound.ok()) return bound.status();
    condition.bound = *bound;
    return condition;
  }

  absl::StatusOr<double> ReadBound(BoundUnit unit) {
    auto text = TakeName("the bound to compare with");
    if (!text.ok()) return text.status();
    if (unit == BoundUnit::kTime) {
      const auto time_ns = ParseDuration(*text);
      if (!time_ns.ok()) return time_ns.status();
      return SecondsOf(*time_ns);
    }
    const bool has_percent = text->ends_with('%');
    if (has_percent) text->pop_back();
    const bool is_percent = has_percent || Take("%");
    double bound = 0;
    if (!absl::SimpleAtod(*text, &bound) || !std::isfinite(bound) || bound < 0 ||
        (is_percent && unit != BoundUnit::kShare))
      return Wrong(
          absl::StrCat("'", *text, is_percent ? "%" : "", "' is no ",
                       unit == BoundUnit::kShare ? "share, as 30 % or 0.3 are" : "number"));
    return is_percent ? bound / 100 : bound;
  }

  std::span<const RuleWord> words_;
};

// With * for any text. Takes time in proportion to the product of both lengths.
bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t at_pattern = 0;
  size_t at_text = 0;
  size_t last_star = std::string_view::npos;
  size_t tried_from = 0;  // where the last star's text ends
  while (at_text < text.size()) {
    if (at_pattern < pattern.size() && pattern[at_pattern] == '*') {
      last_star = at_pattern++;
      tried_from = at_text;
    } else if (at_pattern < pattern.size() && pattern[at_pattern] == text[at_text]) {
      ++at_pattern;
      ++at_text;
    } else if (last_star != std::string_view::npos) {
      at_pattern = last_star + 1;
      at_text = ++tried_from;
    } else {
      return false;
    }
  }
  while (at_pattern < pattern.size() && pattern[at_pattern] == '*') ++at_pattern;
  return at_pattern == pattern.size();
}

// worker of "worker (16 threads)" and of worker/4711.
std::string_view WithoutCount(std::string_view label) {
  if (label.ends_with(')')) {
    const size_t open = label.rfind(" (");
    if (open != std::string_view::npos) return label.substr(0, open);
  }
  const size_t slash = label.rfind('/');
  if (slash != std::string_view::npos && slash + 1 < label.size() &&
      label.find_first_not_of("0123456789", slash + 1) == std::string_view::npos)
    return label.substr(0, slash);
  return label;
}

// The sum of what a name has; none if nothing is of that name.
template <typename List, typename Matches, typename Value>
std::optional<double> SumOf(const List& list, Matches matches, Value value_of) {
  std::optional<double> sum;
  for (const auto& one : list)
    if (matches(one)) sum = sum.value_or(0) + value_of(one);
  return sum;
}

// The busiest of those of the kind that have a capacity.
std::optional<double> BusiestOf(const pb::LiveFrame& frame, std::string_view what) {
  std::optional<double> busiest;
  for (const pb::LiveResource& resource : frame.resources())
    if (resource.what() == what && resource.capacity() > 0)
      busiest = std::max(busiest.value_or(0), resource.use() / resource.capacity());
  return busiest;
}

std::optional<double> ShareOfFirst(const RuleCondition& condition, const pb::LiveFrame& frame) {
  if (frame.findings().empty()) return 0;
  const pb::LiveFinding& first = frame.findings(0);
  return condition.name.empty() || condition.name == first.kind() ? first.share() : 0;
}

// A target that has answered before, and none in this frame, has 0 (RuleWatch).
std::optional<double> OfRequests(const pb::LiveFrame& frame, double value) {
  return frame.has_requests() ? std::optional(value) : std::nullopt;
}

bool FirstIs(const RuleCondition& condition, const pb::LiveFrame& frame) {
  if (frame.findings().empty()) return false;
  const pb::LiveFinding& first = frame.findings(0);
  if (first.kind() != condition.name) return false;
  if (condition.other.empty()) return true;
  return std::any_of(
      first.members().begin(), first.members().end(),
      [&condition](const std::string& member) { return IsLabel(condition.other, member); });
}

}  // namespace

absl::StatusOr<std::vector<RuleCondition>> ParseConditions(std::span<const RuleWord> words) {
  return ConditionReader(words).ReadAll();
}

bool IsLabel(std::string_view pattern, std::string_view label) {
  return MatchesPattern(pattern, label) || MatchesPattern(pattern, WithoutCount(label));
}

std::optional<double> ValueOf(const RuleCondition& condition, const pb::LiveFrame& frame,
                              uint64_t lost_before) {
  const pb::LiveQuality& quality = frame.quality();
  const auto is_named = [&condition](const pb::LiveVertex& vertex) {
    return IsLabel(condition.name, vertex.label());
  };
  switch (condition.quantity) {
    case RuleQuantity::kShare:
      return ShareOfFirst(condition, frame);
    case RuleQuantity::kGain:
      return frame.findings().empty() ? 1 : frame.findings(0).upper_bound_gain();
    case RuleQuantity::kParticipation:
      return SumOf(frame.vertices(), is_named,
                   [](const pb::LiveVertex& vertex) { return vertex.participation(); });
    case RuleQuantity::kRun:
      return SumOf(frame.vertices(), is_named,
                   [](const pb::LiveVertex& vertex) { return vertex.run_share(); });
    case RuleQuantity::kWait: {
      const double length_s = frame.to_s() - frame.from_s();
      return SumOf(
          frame.waits(),
          [&condition](const pb::LiveWait& wait) {
            return IsLabel(condition.name, wait.from()) && IsLabel(condition.other, wait.to());
          },
          [length_s](const pb::LiveWait& wait) {
            return length_s > 0 ? wait.weight_s() / length_s : 0;
          });
    }
    case RuleQuantity::kStalled:
      return quality.stalled_share();
    case RuleQuantity::kUnknown:
      return quality.unknown_share();
    case RuleQuantity::kCpus:
      return BusiestOf(frame, "cpus");
    case RuleQuantity::kDisk:
      return BusiestOf(frame, "disk");
    case RuleQuantity::kLost:
      return quality.lost() > lost_before ? static_cast<double>(quality.lost() - lost_before) : 0;
    case RuleQuantity::kLag:
      return quality.lag_s();
    case RuleQuantity::kOpenWaits:
      return static_cast<double>(quality.open_waits());
    case RuleQuantity::kLostNodes:
      return static_cast<double>(
          std::count_if(frame.nodes().begin(), frame.nodes().end(),
                        [](const pb::LiveNode& node) { return node.state() == "lost"; }));
    case RuleQuantity::kRequests:
      return OfRequests(frame, frame.requests().finished_per_s());
    case RuleQuantity::kRequestTime:
      return OfRequests(frame, frame.requests().p99_s());
    case RuleQuantity::kFindingIs:
      return FirstIs(condition, frame) ? 1 : 0;
  }
  return std::nullopt;
}

bool Holds(const RuleCondition& condition, double value) {
  if (condition.quantity == RuleQuantity::kFindingIs) return value > 0;
  switch (condition.comparison) {
    case Comparison::kAbove:
      return value > condition.bound;
    case Comparison::kAtLeast:
      return value >= condition.bound;
    case Comparison::kBelow:
      return value < condition.bound;
    case Comparison::kAtMost:
      return value <= condition.bound;
  }
  return false;
}

}  // namespace gordian
