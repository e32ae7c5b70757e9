// SPDX-License-Identifier: Apache-2.0
#include "output/participation_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "output/slice_text.h"
#include "output/text_table.h"
#include "trace/counters.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr size_t kPageWidth = 80;
constexpr size_t kRowNameWidth = 30;
constexpr size_t kBarWidth = 20;
constexpr size_t kShortBarWidth = 10;  // where there are more columns
constexpr size_t kWindowNameWidth = 30;

// A row's mean over all windows.
struct MeanRow {
  std::string name;
  double cp = 0;
  double crossings = 0;
  double cp_per_worker = 0;
  uint32_t workers = 0;  // most in one window
};

double LengthOf(const pb::ParticipationWindow& window) {
  return static_cast<double>(window.to_ns() - std::min(window.from_ns(), window.to_ns()));
}

std::vector<MeanRow> MeansOf(const pb::Participation& answer) {
  double whole_ns = 0;
  std::map<std::string, MeanRow> means;
  for (const pb::ParticipationWindow& window : answer.windows()) {
    if (window.paths() == 0) continue;
    const double length_ns = LengthOf(window);
    whole_ns += length_ns;
    for (const pb::ParticipationRow& row : window.rows()) {
      MeanRow& mean = means[row.name()];
      mean.cp += row.cp() * length_ns;
      mean.crossings += row.crossings() * length_ns;
      mean.cp_per_worker += row.cp_per_worker() * length_ns;
      mean.workers = std::max(mean.workers, row.workers());
    }
  }
  std::vector<MeanRow> rows;
  for (auto& [name, mean] : means) {
    mean.name = name;
    mean.cp /= whole_ns;
    mean.crossings /= whole_ns;
    mean.cp_per_worker /= whole_ns;
    rows.push_back(std::move(mean));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const MeanRow& a, const MeanRow& b) {
    return std::pair(a.cp, a.crossings) > std::pair(b.cp, b.crossings);
  });
  return rows;
}

// Of the whole width, in eighths of a letter.
std::string Bar(double share, size_t width) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8));
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[eighths % 8];
  return PadRight(bar, width);
}

struct SectionWords {
  std::string_view by;
  std::string_view title;
  std::string_view none;  // for a row without a name
};

constexpr SectionWords kSections[] = {
    {"activity", "ACTIVITY", "(no type)"},     {"thread", "THREAD", "(no name)"},
    {"vertex", "VERTEX", "(no name)"},         {"operator", "OPERATOR", "(no label)"},
    {"function", "FUNCTION", "(no function)"}, {"link", "FROM → TO", "(no name)"},
    {"phase", "PHASE", "(no phase)"},
};

const SectionWords& WordsOf(const std::string& by) {
  for (const SectionWords& words : kSections)
    if (words.by == by) return words;
  return kSections[0];
}

std::string NameOfRow(const std::string& name, const SectionWords& words) {
  return name.empty() ? std::string(words.none) : name;
}

std::string CrossingsText(double crossings) {
  constexpr double kFewestInFull = 1000;
  constexpr double kMostInFull = 1e15;  // a double counts so far
  if (crossings < kFewestInFull || crossings > kMostInFull)
    return absl::StrFormat("%.3g", crossings);
  return FormatCount(static_cast<uint64_t>(std::llround(crossings)));
}

std::string SectionTable(const std::vector<MeanRow>& rows, const SectionWords& words,
                         size_t most_rows) {
  using Align = TextTable::Align;
  const bool has_workers =
      std::any_of(rows.begin(), rows.end(), [](const MeanRow& row) { return row.workers > 0; });
  std::vector<TextTable::Column> columns = {{PadRight(words.title, kRowNameWidth)},
                                            {""},
                                            {"SHARE", Align::kRight},
                                            {"CROSSED", Align::kRight}};
  if (has_workers) {
    columns.push_back({"WORKERS", Align::kRight});
    columns.push_back({"EACH", Align::kRight});
  }
  TextTable table(columns);
  const auto add = [&](const std::string& name, const MeanRow& row, bool told) {
    std::vector<std::string> cells = {Shorten(name, kRowNameWidth),
                                      Bar(row.cp, has_workers ? kShortBarWidth : kBarWidth),
                                      PercentText(row.cp), CrossingsText(row.crossings)};
    if (has_workers) {
      // Rows of no operator have none.
      const bool has_own = told && row.workers > 0;
      cells.push_back(has_own ? FormatCount(row.workers) : "");
      cells.push_back(has_own ? PercentText(row.cp_per_worker) : "");
    }
    table.AddRow(std::move(cells));
  };
  // A line that would only say "1 more" is that one instead.
  const size_t shown = rows.size() <= most_rows + 1 ? rows.size() : most_rows;
  for (size_t i = 0; i < shown; ++i) add(NameOfRow(rows[i].name, words), rows[i], true);
  MeanRow rest;
  for (size_t i = shown; i < rows.size(); ++i) {
    rest.cp += rows[i].cp;
    rest.crossings += rows[i].crossings;
  }
  if (shown < rows.size())
    add(absl::StrCat("(", FormatCount(rows.size() - shown), " more)"), rest, false);
  return table.ToString();
}

std::string PathsText(const pb::ParticipationWindow& window) {
  constexpr double kMostInDigits = 1e9;
  if (window.paths() == 1) return "1 path";
  if (window.paths() <= kMostInDigits)
    return FormatCount(static_cast<uint64_t>(window.paths()), "path");
  return absl::StrFormat("about 10^%.0f paths", window.log10_paths());
}

std::string Headline(const pb::Participation& answer, const std::vector<MeanRow>& rows) {
  const int windows = answer.windows_size();
  if (windows == 0) return "There are no activities.";
  const std::string length =
      FormatDuration(answer.windows(windows - 1).to_ns() - answer.windows(0).from_ns());
  if (rows.empty()) {
    const bool has_paths = std::any_of(answer.windows().begin(), answer.windows().end(),
                                       [](const auto& window) { return window.paths() > 0; });
    if (has_paths) return absl::StrCat("No critical path through ", length, " crosses such a row.");
    return absl::StrCat("No path of activities leads through ",
                        windows == 1 ? absl::StrCat("these ", length)
                                     : absl::StrCat("any of the ", windows, " windows"),
                        ".");
  }
  const std::string first =
      absl::StrCat(NameOfRow(rows[0].name, WordsOf(answer.by())), " is ", PercentText(rows[0].cp));
  if (windows == 1) {
    const bool is_one = answer.windows(0).paths() == 1;
    return absl::StrCat(PathsText(answer.windows(0)), is_one ? " leads" : " lead", " through ",
                        length, ". ", first, is_one ? " of it." : " of the average one.");
  }
  return absl::StrCat(first, " of the average critical path, in ",
                      FormatCount(static_cast<uint64_t>(windows), "window"), " of ", length, ".");
}

std::string WindowTable(const pb::Participation& answer, size_t most_windows) {
  using Align = TextTable::Align;
  TextTable table(
      {{"WINDOW", Align::kRight}, {"PATHS", Align::kRight}, {"MOST"}, {"SHARE", Align::kRight}});
  const auto windows = static_cast<size_t>(answer.windows_size());
  const size_t shown = windows <= most_windows + 1 ? windows : most_windows;
  const SectionWords& words = WordsOf(answer.by());
  for (size_t i = 0; i < shown; ++i) {
    const pb::ParticipationWindow& window = answer.windows(static_cast<int>(i));
    const std::string when =
        absl::StrCat("+", FormatDuration(window.from_ns() - answer.windows(0).from_ns()));
    const bool has_row = window.rows_size() > 0;
    table.AddRow({when, window.paths() == 0 ? "no path" : PathsText(window),
                  has_row ? Shorten(NameOfRow(window.rows(0).name(), words), kWindowNameWidth) : "",
                  has_row ? PercentText(window.rows(0).cp()) : ""});
  }
  std::string text = table.ToString();
  if (shown < windows)
    absl::StrAppend(&text, FormatCount(windows - shown), " more windows: --json tells all.\n");
  return text;
}

template <typename Answer>
std::string OddText(const Answer& answer) {
  std::string text;
  for (const pb::ParticipationCounter& counter : answer.counters()) {
    const CounterDefinition* definition = FindCounter(counter.name());
    if (definition == nullptr) continue;
    const std::string note =
        absl::StrCat(FormatCount(counter.value()), ": ", std::string(definition->meaning), " ",
                     std::string(definition->advice));
    for (const std::string& line : WrapText(note, kPageWidth)) absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace

std::string ParticipationText(std::span<const pb::Participation> answers,
                              const ParticipationTextOptions& options) {
  if (answers.empty()) return "";
  std::string text;
  for (const std::string& line :
       WrapText(Headline(answers.front(), MeansOf(answers.front())), kPageWidth))
    absl::StrAppend(&text, line, "\n");
  for (const pb::Participation& answer : answers) {
    const std::vector<MeanRow> rows = MeansOf(answer);
    if (rows.empty()) continue;
    absl::StrAppend(&text, "\n", SectionTable(rows, WordsOf(answer.by()), options.most_rows));
  }
  if (answers.front().windows_size() > 1)
    absl::StrAppend(&text, "\n", WindowTable(answers.front(), options.most_windows));
  if (const std::string odd = OddText(answers.front()); !odd.empty())
    absl::StrAppend(&text, "\n", odd);
  return text;
}

std::string CriticalPathText(const pb::CriticalPath& path, size_t most_steps) {
  using Align = TextTable::Align;
  constexpr size_t kWorkerWidth = 24, kActivityWidth = 14, kLabelWidth = 16;
  std::string text =
      path.steps().empty()
          ? "No path of activities leads to the last end.\n"
          : absl::StrCat(AskedPhaseText(path.phase()), "The critical path is ",
                         FormatDuration(path.to_ns() - path.from_ns()), " long and has ",
                         FormatCount(static_cast<uint64_t>(path.steps_size()), "step"), ".\n\n");
  TextTable table(
      {{"AT", Align::kRight}, {"LASTS", Align::kRight}, {"WORKER"}, {"ACTIVITY"}, {"LABEL"}});
  const auto steps = static_cast<size_t>(path.steps_size());
  const size_t shown = steps <= most_steps + 1 ? steps : most_steps;
  for (size_t i = 0; i < shown; ++i) {
    const pb::CriticalStep& step = path.steps(static_cast<int>(i));
    const std::string worker = step.worker() == step.to_worker()
                                   ? step.worker()
                                   : absl::StrCat(step.worker(), " → ", step.to_worker());
    table.AddRow({"+" + FormatDuration(step.from_ns() - path.from_ns()),
                  FormatDuration(step.to_ns() - step.from_ns()), Shorten(worker, kWorkerWidth),
                  Shorten(step.activity(), kActivityWidth), Shorten(step.label(), kLabelWidth)});
  }
  if (!table.empty()) text += table.ToString();
  if (shown < steps)
    absl::StrAppend(&text, FormatCount(steps - shown), " more steps: --json tells all.\n");
  if (const std::string odd = OddText(path); !odd.empty()) absl::StrAppend(&text, "\n", odd);
  return text;
}

}  // namespace gordian
