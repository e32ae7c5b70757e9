// SPDX-License-Identifier: Apache-2.0
#include "gate/condition.h"

#include <cmath>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kMostBytes = 1000;
constexpr size_t kMostDigits = 18;

constexpr char kForms[] =
    "give new-limit, limit-gone, throughput<-5%, 'wait(A->B)>+10%', 'share(A)>30%' or "
    "runtime>+5%";

// A text that is read from its front. It remembers its place for messages.
class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : text_(text), rest_(text) { SkipBlanks(); }

  std::string_view rest() const { return rest_; }
  bool Take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    SkipBlanks();
    return true;
  }
  std::string_view TakeAll(size_t bytes) {
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::string_view TakeWord() {
    size_t length = 0;
    while (length < rest_.size() &&
           (absl::ascii_isalpha(static_cast<unsigned char>(rest_[length])) || rest_[length] == '-'))
      ++length;
    // The sign of an amount is no part of a word; nor is the arrow.
    while (length > 0 && rest_[length - 1] == '-') --length;
    const std::string_view word = TakeAll(length);
    SkipBlanks();
    return word;
  }
  absl::Status Refuse(std::string_view why) const {
    const size_t at = text_.size() - rest_.size();
    return absl::InvalidArgumentError(
        absl::StrCat("--fail-if '", CleanText(text_), "', ",
                     rest_.empty() ? "at its end" : absl::StrCat("at character ", at + 1), ": ",
                     std::string(why)));
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  std::string_view text_;
  std::string_view rest_;
};

std::string Stripped(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::optional<Metric> MetricOf(std::string_view word) {
  if (word == "throughput") return Metric::kThroughput;
  if (word == "wait") return Metric::kWait;
  if (word == "share") return Metric::kShare;
  if (word == "runtime") return Metric::kRuntime;
  if (word == "new-limit") return Metric::kNewLimit;
  if (word == "limit-gone") return Metric::kLimitGone;
  return std::nullopt;
}

const char* FormOf(Metric metric) {
  switch (metric) {
    case Metric::kThroughput:
      return "'throughput(wakes worker)'";
    case Metric::kWait:
      return "'wait(A->B)>+10%'";
    case Metric::kShare:
      return "'share(A)>30%'";
    case Metric::kRuntime:
      return "'runtime(load)>+5%'";
    default:
      return "new-limit";
  }
}

// What stands in parentheses. Names may hold some of their own, so the last one ends it.
absl::Status ReadSubject(ConditionReader& reader, FailCondition& condition) {
  const std::string as_in = absl::StrCat(", as in ", FormOf(condition.metric));
  const bool optional =
      condition.metric == Metric::kThroughput || condition.metric == Metric::kRuntime;
  if (!reader.Take("("))
    return optional ? absl::OkStatus()
                    : reader.Refuse(absl::StrCat("name who in parentheses", as_in));
  const size_t end = reader.rest().rfind(')');
  if (end == std::string_view::npos) return reader.Refuse(absl::StrCat("a ) is missing", as_in));
  const std::string_view inside = reader.rest().substr(0, end);
  const size_t arrow = inside.find("->");
  if (condition.metric == Metric::kWait) {
    if (arrow == std::string_view::npos)
      return reader.Refuse(absl::StrCat("name who waits and for whom", as_in));
    condition.who = Stripped(inside.substr(0, arrow));
    condition.whom = Stripped(inside.substr(arrow + 2));
  } else {
    condition.who = Stripped(inside);
  }
  if (condition.who.empty() || (condition.metric == Metric::kWait && condition.whom.empty()))
    return reader.Refuse(absl::StrCat("a name is missing", as_in));
  reader.TakeAll(end);
  reader.Take(")");
  return absl::OkStatus();
}

// Only digits and one point: no infinity, no exponent.
std::optional<double> TakeNumber(ConditionReader& reader) {
  size_t length = 0, digits = 0;
  const std::string_view rest = reader.rest();
  for (; length < rest.size(); ++length) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(rest[length]))) {
      ++digits;
    } else if (rest[length] != '.') {
      break;
    }
  }
  double number = 0;
  const std::string_view text = rest.substr(0, length);
  if (digits == 0 || digits > kMostDigits || text.back() == '.' ||
      !absl::SimpleAtod({text.data(), text.size()}, &number))
    return std::nullopt;
  reader.TakeAll(length);
  reader.Take("");
  return number;
}

const char* UnitsOf(Metric metric) {
  switch (metric) {
    case Metric::kThroughput:
      return "give a change as -5% or -100/s, or a rate as 2000/s";
    case Metric::kShare:
      return "give a change as +10% or +5pp, or a share as 30%";
    case Metric::kWait:
      return "give a change as +10% or +50ms (in a second), or a wait as 200ms";
    default:
      return "give a change as +10% or +2s, or a time as 30s";
  }
}

// How much one of that unit is; nothing if the metric has no such unit.
std::optional<double> UnitSize(Metric metric, std::string_view unit) {
  if (unit == "%") return 0.01;
  if (metric == Metric::kThroughput) return unit == "/s" ? std::optional(1.0) : std::nullopt;
  if (metric == Metric::kShare) return unit == "pp" ? std::optional(0.01) : std::nullopt;
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1.0;
  return std::nullopt;
}

absl::Status ReadAmount(ConditionReader& reader, FailCondition& condition) {
  const Metric metric = condition.metric;
  const bool up = reader.Take("+"), down = !up && reader.Take("-");
  const bool is_change = up || down;
  const std::optional<double> number = TakeNumber(reader);
  if (!number) return reader.Refuse(absl::StrCat("a number is missing: ", UnitsOf(metric)));
  const std::string unit = Stripped(reader.rest());
  const std::optional<double> size = UnitSize(metric, unit);
  if (unit.empty()) return reader.Refuse(absl::StrCat("a unit is missing: ", UnitsOf(metric)));
  if (!size) return reader.Refuse(UnitsOf(metric));
  if (unit == "%" && !is_change && metric != Metric::kShare)
    return reader.Refuse("a change in percent has a sign: give +5% or -5%");
  if (unit == "pp" && !is_change)
    return reader.Refuse("a change in points has a sign: give +5pp, or the share itself as 30%");
  condition.amount = (down ? -1 : 1) * *number * *size;
  condition.kind = !is_change    ? AmountKind::kLevel
                   : unit == "%" ? AmountKind::kRelative
                                 : AmountKind::kDifference;
  if (condition.kind == AmountKind::kRelative && condition.amount <= -1)
    return reader.Refuse("nothing can fall by 100% or more: give a smaller change");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FailCondition> ParseCondition(std::string_view text) {
  if (text.size() > kMostBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("--fail-if: a condition has at most ", kMostBytes, " characters"));
  ConditionReader reader(text);
  const ConditionReader start = reader;
  const std::optional<Metric> metric = MetricOf(reader.TakeWord());
  if (!metric) return start.Refuse(kForms);
  FailCondition condition{.text = Stripped(text), .metric = *metric};
  if (IsOfLimits(*metric)) {
    if (!reader.rest().empty()) return reader.Refuse("nothing can follow new-limit or limit-gone");
    return condition;
  }
  if (absl::Status status = ReadSubject(reader, condition); !status.ok()) return status;
  condition.above = reader.Take(">");
  if (!condition.above && !reader.Take("<"))
    return reader.Refuse(
        absl::StrCat("give < or > and an amount, as in ",
                     *metric == Metric::kThroughput ? "throughput<-5%" : FormOf(*metric)));
  if (absl::Status status = ReadAmount(reader, condition); !status.ok()) return status;
  return condition;
}

}  // namespace gordian
