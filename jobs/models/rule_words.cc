// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/rule_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "trace/resource_readings.h"

namespace gordian {
namespace {

constexpr double kLargestAmount = 1e15;  // as jobs/attribution checks it
constexpr double kLargestWeight = 1e9;

struct Prefix {
  std::string_view letters;
  double factor;
};
// Those of two letters come first, so that Mi is no M.
constexpr std::array<Prefix, 11> kPrefixes = {{{"Ki", 1024.0},
                                               {"Mi", 1024.0 * 1024},
                                               {"Gi", 1024.0 * 1024 * 1024},
                                               {"Ti", 1024.0 * 1024 * 1024 * 1024},
                                               {"k", 1e3},
                                               {"K", 1e3},
                                               {"M", 1e6},
                                               {"G", 1e9},
                                               {"T", 1e12},
                                               {"P", 1e15},
                                               {"", 1}}};

struct Unit {
  std::string_view base;
  double factor = 1;
};

bool IsCores(std::string_view unit) {
  for (const std::string_view word : {"cores", "core", "CPUs", "CPU", "cpus", "cpu"}) {
    if (unit == word) return true;
  }
  return false;
}

// Sizes and rates of bytes and bits; nothing for any other unit.
std::optional<Unit> BytesOf(std::string_view unit) {
  constexpr std::pair<std::string_view, Unit> kWords[] = {
      {"B/s", {"B/s", 1}}, {"bit/s", {"B/s", 0.125}}, {"B", {"B", 1}}, {"bit", {"B", 0.125}}};
  for (const Prefix& prefix : kPrefixes) {
    if (!unit.starts_with(prefix.letters)) continue;
    for (const auto& [word, meaning] : kWords) {
      if (unit.substr(prefix.letters.size()) == word)
        return Unit{meaning.base, meaning.factor * prefix.factor};
    }
  }
  return std::nullopt;
}

bool AreSameWord(std::string_view a, std::string_view b) {
  const auto is_plural_of = [](std::string_view many, std::string_view one) {
    return many.size() == one.size() + 1 && many.ends_with('s') && many.starts_with(one);
  };
  return a == b || is_plural_of(a, b) || is_plural_of(b, a);
}

// How many of the resource's unit one `written` is; nothing if it is another kind of unit. A unit
// that is not known here fits itself, in singular and plural, and with a prefix of the SI.
std::optional<double> FactorOf(std::string_view written, std::string_view unit) {
  if (IsCores(unit)) return IsCores(written) ? std::optional<double>(1) : std::nullopt;
  if (const auto bytes = BytesOf(unit)) {
    const auto given = BytesOf(written);
    if (!given || given->base != bytes->base) return std::nullopt;
    return given->factor / bytes->factor;
  }
  if (AreSameWord(written, unit)) return 1;
  for (const Prefix& prefix : kPrefixes) {
    const bool is_binary = prefix.letters.size() == 2;
    if (is_binary || !written.starts_with(prefix.letters)) continue;
    if (AreSameWord(written.substr(prefix.letters.size()), unit)) return prefix.factor;
  }
  return std::nullopt;
}

absl::Status Wrong(std::string_view words, const ResourceType& resource, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(words), "' for ", resource.name, std::string(what)));
}

std::string_view WithoutBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

constexpr std::string_view kConsumableWords =
    " must be 'none', 'exact SHARE' (of the capacity, above 0 and at most 1, or as 50%), "
    "'exact AMOUNT UNIT' (as 1 core, 200 MB/s), 'variable [WEIGHT]' or 'leaves [WEIGHT]'";

absl::StatusOr<AttributionRule> ParseExact(std::string_view words, std::string_view amount,
                                           const ResourceType& resource) {
  const size_t end = std::min(amount.find_first_not_of("0123456789.eE+-"), amount.size());
  double number = 0;
  // "1e" and "2E" cannot begin a unit: no unit begins with an e.
  if (!absl::SimpleAtod(std::string(amount.substr(0, end)), &number) || !std::isfinite(number) ||
      number <= 0)
    return Wrong(words, resource, kConsumableWords);
  const std::string_view unit = WithoutBlanks(amount.substr(end));
  if (unit.empty() || unit == "%") {
    const double share = unit.empty() ? number : number / 100;
    if (share > 1) return Wrong(words, resource, kConsumableWords);
    return AttributionRule{RuleKind::kExact, share};
  }
  const std::string own = UnitOfResource(resource);
  if (own.empty())
    return Wrong(words, resource, ": the resource has no unit; give it one, as in {unit: B/s}");
  const auto factor = FactorOf(unit, own);
  if (!factor)
    return Wrong(words, resource,
                 absl::StrCat(": its amounts are in ", own, ", and '", std::string(unit),
                              "' is no such unit"));
  const double in_unit = number * *factor;
  if (!(in_unit > 0 && in_unit <= kLargestAmount))
    return Wrong(words, resource, ": that is more or less than any resource has");
  return AttributionRule{RuleKind::kExact, in_unit, true};
}

}  // namespace

std::string NumberWords(double number) {
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text = absl::StrFormat("%.*g", digits, number);
    double read = 0;
    if (absl::SimpleAtod(text, &read) && read == number && text.find('e') == std::string::npos)
      return text;
  }
  return text;
}

namespace {

// "200 MB/s": with the prefix that leaves a number of at least 1, if it is read as the same amount.
std::string AmountWords(double amount, const std::string& unit) {
  if (IsCores(unit)) return absl::StrCat(NumberWords(amount), amount == 1 ? " core" : " cores");
  const auto bytes = BytesOf(unit);
  if (bytes && bytes->factor == 1) {
    for (const Prefix prefix : {kPrefixes[8], kPrefixes[7], kPrefixes[6], kPrefixes[4]}) {
      const std::string number = NumberWords(amount / prefix.factor);
      double read = 0;
      if (amount >= prefix.factor && absl::SimpleAtod(number, &read) &&
          read * prefix.factor == amount)
        return absl::StrCat(number, " ", std::string(prefix.letters), unit);
    }
  }
  return absl::StrCat(NumberWords(amount), " ", unit);
}

}  // namespace

std::string UnitOfResource(const ResourceType& resource) {
  if (!resource.unit.empty()) return resource.unit;
  for (int kind = pb::ResourceKind_MIN; kind <= pb::ResourceKind_MAX; ++kind) {
    const ResourceKindWords* words = FindResourceKind(static_cast<pb::ResourceKind>(kind));
    if (words != nullptr && words->name == resource.name) return words->unit;
  }
  return {};
}

absl::StatusOr<AttributionRule> ParseRule(std::string_view words, const ResourceType& resource) {
  const size_t blank = std::min(words.find(' '), words.size());
  const std::string_view word = words.substr(0, blank);
  const std::string_view amount = WithoutBlanks(words.substr(blank));
  if (word == "none" && amount.empty()) return AttributionRule{RuleKind::kNone, 0};
  if (resource.kind == ResourceKind::kBlocking) {
    if (word == "blocks" && amount.empty()) return AttributionRule{RuleKind::kVariable, 1};
    return Wrong(words, resource, ", which blocks, must be 'none' or 'blocks'");
  }
  if (word == "exact") return ParseExact(words, amount, resource);
  if (word != "variable" && word != "leaves") return Wrong(words, resource, kConsumableWords);
  AttributionRule rule{word == "variable" ? RuleKind::kVariable : RuleKind::kLeaves, 1};
  if (amount.empty()) return rule;
  const bool is_number = absl::SimpleAtod(std::string(amount), &rule.amount);
  if (is_number && rule.amount > 0 && rule.amount <= kLargestWeight) return rule;
  const bool has_unit = !is_number && amount.front() >= '0' && amount.front() <= '9';
  return Wrong(words, resource,
               has_unit ? std::string_view(": a weight is a number above 0 without a unit; only "
                                           "'exact' takes amounts")
                        : kConsumableWords);
}

std::string RuleWords(const AttributionRule& rule, const ResourceType& resource) {
  if (rule.kind == RuleKind::kNone) return "none";
  if (resource.kind == ResourceKind::kBlocking) return "blocks";
  if (rule.kind == RuleKind::kExact) {
    return absl::StrCat("exact ", rule.in_unit ? AmountWords(rule.amount, UnitOfResource(resource))
                                               : NumberWords(rule.amount));
  }
  const char* word = rule.kind == RuleKind::kVariable ? "variable" : "leaves";
  return rule.amount == 1 ? word : absl::StrCat(word, " ", NumberWords(rule.amount));
}

}  // namespace gordian
