// SPDX-License-Identifier: Apache-2.0
// Where the windows of a trend begin and end.
#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "views/trend.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr uint64_t kWindowsUnlessTold = 200;  // four pages
constexpr size_t kMostPhaseNamesTold = 20;

uint64_t RoundLength(uint64_t length_ns) {
  uint64_t window_ns = 1;
  for (size_t step = 0; (length_ns - 1) / window_ns >= kWindowsUnlessTold; ++step)
    window_ns = step % 3 == 1 ? window_ns / 2 * 5 : window_ns * 2;
  return window_ns;
}

// "superstep 12", "superstep-12", "superstep12": superstep and 12; without a number −1.
struct NumberedName {
  std::string name;
  int64_t number = -1;
};

NumberedName SplitName(const std::string& name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  NumberedName split{.name = name};
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (digits == 0 || digits == name.size() || error != std::errc()) return split;
  split.number = number;
  split.name = name.substr(0, digits);
  while (split.name.size() > 1 &&
         std::string_view(" -_#:/.").find(split.name.back()) != std::string_view::npos)
    split.name.pop_back();
  return split;
}

// By order of threads and time: whole ones, and those that went on when something ended.
std::vector<ThreadPhase> AllPhases(const RecordedPhases& phases) {
  std::vector<ThreadPhase> all = phases.whole;
  all.insert(all.end(), phases.unended.begin(), phases.unended.end());
  std::sort(all.begin(), all.end(), [](const ThreadPhase& a, const ThreadPhase& b) {
    return std::tie(a.thread, a.from_ns, a.to_ns) < std::tie(b.thread, b.from_ns, b.to_ns);
  });
  return all;
}

// Cut where the next one begins, and to the range; empty ones are left out.
std::vector<TrendWindow> WithoutOverlaps(std::vector<TrendWindow> windows, const TimeRange& range) {
  std::sort(windows.begin(), windows.end(), [](const TrendWindow& a, const TrendWindow& b) {
    return std::tie(a.from_ns, a.to_ns) < std::tie(b.from_ns, b.to_ns);
  });
  std::vector<TrendWindow> cut;
  for (size_t i = 0; i < windows.size(); ++i) {
    TrendWindow window = windows[i];
    if (i + 1 < windows.size()) window.to_ns = std::min(window.to_ns, windows[i + 1].from_ns);
    window.from_ns = std::max(window.from_ns, range.from_ns);
    window.to_ns = std::min(window.to_ns, range.to_ns);
    if (window.from_ns < window.to_ns) cut.push_back(std::move(window));
  }
  return cut;
}

}  // namespace

absl::StatusOr<std::vector<TrendWindow>> TrendWindowsOf(const TimeRange& range,
                                                        uint64_t window_ns) {
  if (range.length_ns() == 0) return absl::InvalidArgumentError("the range holds no time");
  if (window_ns == 0) window_ns = RoundLength(range.length_ns());
  if ((range.length_ns() - 1) / window_ns >= kMostTrendWindows)
    return absl::InvalidArgumentError(absl::StrCat(
        "windows of ", FormatDuration(window_ns), " are more than ", kMostTrendWindows, " in ",
        FormatDuration(range.length_ns()), ": choose longer windows or a shorter range"));
  std::vector<TrendWindow> windows;
  for (uint64_t from_ns = range.from_ns; from_ns < range.to_ns;) {
    const uint64_t to_ns = from_ns + std::min(window_ns, range.to_ns - from_ns);
    windows.push_back({.from_ns = from_ns, .to_ns = to_ns, .label = ""});
    from_ns = to_ns;
  }
  return windows;
}

absl::StatusOr<std::vector<TrendWindow>> TrendWindowsOfPhase(const RecordedPhases& phases,
                                                             const std::string& name,
                                                             const TimeRange& range) {
  std::map<std::pair<int64_t, int64_t>, TrendWindow> windows;  // by number, and turn without one
  int64_t turn = 0;
  EntityId thread = kNobody;
  for (const ThreadPhase& phase : AllPhases(phases)) {
    const std::string& full_name = phases.names[phase.name];
    const NumberedName split = SplitName(full_name);
    const bool is_exact = full_name == name;
    if (!is_exact && split.name != name) continue;
    if (phase.thread != thread) turn = 0;
    thread = phase.thread;
    const bool numbered = !is_exact && split.number >= 0;
    const std::pair<int64_t, int64_t> key(numbered ? split.number : -1, numbered ? 0 : turn++);
    const auto [entry, is_new] = windows.emplace(
        key, TrendWindow{phase.from_ns, phase.to_ns,
                         numbered ? full_name : absl::StrCat(full_name, " ", key.second + 1)});
    if (is_new) continue;
    entry->second.from_ns = std::min(entry->second.from_ns, phase.from_ns);
    entry->second.to_ns = std::max(entry->second.to_ns, phase.to_ns);
  }
  std::vector<TrendWindow> found;
  found.reserve(windows.size());
  for (auto& [key, window] : windows) found.push_back(std::move(window));
  found = WithoutOverlaps(std::move(found), range);
  if (found.empty())
    return absl::NotFoundError(
        absl::StrCat("no program told of a phase '", name, "' in the range"));
  if (found.size() > kMostTrendWindows)
    return absl::InvalidArgumentError(absl::StrCat("the range holds ", found.size(), " phases '",
                                                   name, "', and at most ", kMostTrendWindows,
                                                   " can be shown: choose a shorter range"));
  return found;
}

std::vector<std::string> TrendPhaseNames(const RecordedPhases& phases) {
  std::map<std::string, uint64_t> counts;
  for (const ThreadPhase& phase : AllPhases(phases))
    ++counts[SplitName(phases.names[phase.name]).name];
  std::vector<std::pair<std::string, uint64_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(order.size(), kMostPhaseNamesTold); ++i)
    names.push_back(order[i].first);
  return names;
}

}  // namespace gordian
