// SPDX-License-Identifier: Apache-2.0
// The tables of the overview: waits and vertices.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "cli/top/bars.h"
#include "cli/top/frame_parts.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kShareColumns = 7;
constexpr size_t kCountColumns = 10;
constexpr size_t kTimeColumns = 10;
constexpr size_t kLeastNameColumns = 24;
constexpr size_t kBarColumns = 20;

// How many of the optional columns fit beside the names.
struct WaitColumns {
  explicit WaitColumns(size_t columns) {
    size_t rest = columns - std::min(columns, kLeastNameColumns + kShareColumns);
    const auto take = [&](size_t wanted) {
      if (rest < wanted) return false;
      rest -= wanted;
      return true;
    };
    has_mean = take(kTimeColumns);
    has_count = has_mean && take(kCountColumns);
    has_longest = has_count && take(kTimeColumns);
    const size_t numbers = kShareColumns + (has_mean ? kTimeColumns : 0) +
                           (has_count ? kCountColumns : 0) + (has_longest ? kTimeColumns : 0);
    names = columns - std::min(columns, numbers);
  }
  size_t names = 0;
  bool has_mean = false;
  bool has_count = false;
  bool has_longest = false;
};

struct WaitNumbers {
  double own_s = 0;
  uint64_t count = 0;
  double longest_s = 0;
  double share = 0;  // of the time of one thread that waits
};

void PutNumbers(const WaitNumbers& wait, const WaitColumns& columns, ScreenLine& line) {
  line.PutRight(NarrowPercentText(wait.share), kShareColumns);
  if (columns.has_count) line.PutRight(FormatCount(wait.count), kCountColumns);
  if (columns.has_mean)
    line.PutRight(wait.count == 0 ? "" : SecondsText(wait.own_s / static_cast<double>(wait.count)),
                  kTimeColumns);
  if (columns.has_longest) line.PutRight(SecondsText(wait.longest_s), kTimeColumns);
}

// Devices and the like count as one.
double ThreadsOf(const pb::ReportVertex* vertex) {
  return vertex == nullptr ? 1 : std::max(vertex->members_size(), 1);
}

// Which of so many rows are shown: those around the chosen one.
size_t FirstShown(std::optional<size_t> chosen, size_t rows, size_t shown) {
  if (!chosen || *chosen < shown) return 0;
  return std::min(*chosen - shown + 1, rows - shown);
}

template <typename Rows, typename ChoiceOfRow>
std::optional<size_t> FindChosen(const Rows& rows, const TopState& state, ChoiceOfRow choice_of) {
  for (int i = 0; i < rows.size(); ++i)
    if (state.chosen == choice_of(rows[i])) return static_cast<size_t>(i);
  return std::nullopt;
}

TopChoice ChoiceOf(const pb::LiveWait& wait) { return {wait.from(), wait.to()}; }
TopChoice ChoiceOf(const pb::LiveVertex& vertex) { return {vertex.label(), ""}; }

std::string WithMore(const char* title, size_t all, size_t shown) {
  return shown >= all ? title : absl::StrCat(title, " (", shown, " of ", all, ")");
}

void PutVertex(const pb::LiveVertex& vertex, bool has_participation, ScreenLine& line) {
  const double threads = std::max<uint32_t>(vertex.threads(), 1);
  const StateShares shares = {.run = vertex.run_share() / threads,
                              .ready = vertex.runnable_share() / threads,
                              .wait = vertex.wait_share() / threads};
  const size_t numbers = 3 * kShareColumns;
  const bool has_bar = line.left() >= kLeastNameColumns + kBarColumns + 1 + kShareColumns;
  const bool has_all = line.left() >= kLeastNameColumns + kBarColumns + 1 + numbers + kShareColumns;
  const size_t taken = (has_bar ? kBarColumns + 1 : 0) + kShareColumns +
                       (has_all ? numbers - (has_participation ? 0 : kShareColumns) : 0);
  line.PutLeft(vertex.label(), line.left() - std::min(line.left(), taken));
  line.Skip(has_bar ? 1 : 0);
  if (has_participation) {
    if (has_bar) PutBar(vertex.participation(), kBarColumns, line);
    line.PutRight(NarrowPercentText(vertex.participation()), kShareColumns);
  } else if (has_bar) {
    PutStates(shares, kBarColumns, line);
  }
  if (!has_participation || has_all) line.PutRight(NarrowPercentText(shares.run), kShareColumns);
  if (!has_all) return;
  line.PutRight(NarrowPercentText(shares.ready), kShareColumns);
  line.PutRight(NarrowPercentText(shares.wait), kShareColumns);
}

// Over the columns of PutVertex.
void PutVertexHead(std::string_view title, bool has_participation, ScreenLine& line) {
  const bool has_all = line.left() >= kLeastNameColumns + kBarColumns + 1 + 4 * kShareColumns;
  const size_t numbers = kShareColumns * (has_all ? (has_participation ? 4 : 3) : 1);
  const size_t title_columns = line.left() - std::min(line.left(), numbers);
  const size_t width = DisplayWidth(title) + 2;
  if (has_all && !has_participation) {
    line.PutLeft(title, width, Look::kStrong);
    PutStatesLegend(line);
    line.Skip(line.left() - numbers);
  } else {
    line.PutLeft(title, title_columns, Look::kStrong);
  }
  if (has_participation) line.PutRight("PATHS", kShareColumns, Look::kFaint);
  if (!has_participation || has_all) line.PutRight("RUN", kShareColumns, Look::kFaint);
  if (!has_all) return;
  line.PutRight("READY", kShareColumns, Look::kFaint);
  line.PutRight("WAIT", kShareColumns, Look::kFaint);
}

}  // namespace

double FrameLengthS(const pb::LiveFrame& frame) {
  const double length_s = frame.to_s() - frame.from_s();
  return length_s > 0 ? length_s : 1;
}

void PutCursor(const TopChoice& row, const TopState& state, ScreenLine& line) {
  line.is_chosen = state.chosen == row;
  line.PutLeft(line.is_chosen ? ">" : "", 2, Look::kStrong);
}

void PutWaitHead(std::string_view title, ScreenLine& line) {
  const WaitColumns columns(line.left());
  line.PutLeft(title, columns.names, Look::kStrong);
  line.PutRight("SHARE", kShareColumns, Look::kFaint);
  if (columns.has_count) line.PutRight("WAITS", kCountColumns, Look::kFaint);
  if (columns.has_mean) line.PutRight("MEAN", kTimeColumns, Look::kFaint);
  if (columns.has_longest) line.PutRight("LONGEST", kTimeColumns, Look::kFaint);
}

void PutWait(const pb::Report& report, const pb::ReportEdge& edge, double length_s,
             std::string_view who, ScreenLine& line) {
  const WaitColumns columns(line.left());
  line.PutLeft(who, columns.names);
  const pb::ReportVertex& from = report.vertices(static_cast<int>(edge.from()));
  PutNumbers({.own_s = edge.own_s(),
              .count = edge.count(),
              .longest_s = edge.longest_s(),
              .share = edge.own_s() / length_s / ThreadsOf(&from)},
             columns, line);
}

ScreenLines WaitLines(const PartInput& input, size_t most) {
  const auto& waits = input.moment.frame.waits();
  ScreenLines lines;
  if (most == 0) return lines;
  const auto all = static_cast<size_t>(waits.size());
  const size_t shown = std::min(all, most - 1);
  PutWaitHead(WithMore(all == 0 ? "NOTHING WAITS" : "HEAVIEST WAITS", all, shown),
              lines.emplace_back(input.size));
  const auto chosen = FindChosen(waits, input.state, [](const auto& row) { return ChoiceOf(row); });
  const size_t first = FirstShown(chosen, all, shown);
  const double length_s = FrameLengthS(input.moment.frame);
  for (size_t i = first; i < first + shown; ++i) {
    const pb::LiveWait& wait = waits[static_cast<int>(i)];
    ScreenLine& line = lines.emplace_back(input.size);
    PutCursor(ChoiceOf(wait), input.state, line);
    const WaitColumns columns(line.left());
    // Both names are worth the same: a long one gives way first.
    const std::string arrow = input.size.charset == Charset::kAscii ? " -> " : " → ";
    const size_t room = columns.names - std::min(columns.names, DisplayWidth(arrow));
    const size_t to_columns = DisplayWidth(DisplayText(wait.to(), input.size.charset));
    const size_t from_most = room - std::min(room / 2, to_columns);
    const std::string from = FitColumns(wait.from(), from_most, input.size.charset);
    line.PutLeft(absl::StrCat(from, arrow,
                              FitColumns(wait.to(), room - DisplayWidth(from), input.size.charset)),
                 columns.names);
    const double threads = ThreadsOf(FindVertex(input.moment.report, wait.from()));
    PutNumbers({.own_s = wait.own_s(),
                .count = wait.count(),
                .longest_s = wait.longest_s(),
                .share = wait.own_s() / length_s / threads},
               columns, line);
  }
  return lines;
}

ScreenLines VertexLines(const PartInput& input, size_t most) {
  const auto& vertices = input.moment.frame.vertices();
  ScreenLines lines;
  if (most == 0) return lines;
  const bool has_participation =
      std::any_of(vertices.begin(), vertices.end(),
                  [](const auto& vertex) { return vertex.participation() > 0; });
  const auto all = static_cast<size_t>(vertices.size());
  const size_t shown = std::min(all, most - 1);
  PutVertexHead(WithMore(has_participation ? "ON THE CRITICAL PATHS" : "THREADS", all, shown),
                has_participation, lines.emplace_back(input.size));
  const auto chosen =
      FindChosen(vertices, input.state, [](const auto& row) { return ChoiceOf(row); });
  const size_t first = FirstShown(chosen, all, shown);
  for (size_t i = first; i < first + shown; ++i) {
    const pb::LiveVertex& vertex = vertices[static_cast<int>(i)];
    ScreenLine& line = lines.emplace_back(input.size);
    PutCursor(ChoiceOf(vertex), input.state, line);
    PutVertex(vertex, has_participation, line);
  }
  return lines;
}

}  // namespace gordian
