// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_screen_page.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/top/frame_parts.h"
#include "cli/top/vertex_page.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// On a page of any length.
constexpr size_t kRowsWithoutEnd = 12;  // of tables
constexpr size_t kResourcesWithoutEnd = 3;

// In the order in which they stand on the screen.
enum Part : size_t { kLimit, kAlso, kWaits, kVertices, kResources, kQuality, kStrip, kParts };
using PartRows = std::array<size_t, kParts>;

// How many rows each part could use.
PartRows WantedRows(const PartInput& input) {
  const pb::LiveFrame& frame = input.moment.frame;
  const auto rows = [](int count) { return static_cast<size_t>(count) + 1; };
  return {LimitLines(input, SIZE_MAX).size(),
          OtherFindingLines(input).size(),
          rows(frame.waits_size()),
          frame.vertices().empty() ? 0 : rows(frame.vertices_size()),
          ResourceLines(input, SIZE_MAX).size(),
          QualityLines(input, SIZE_MAX).size(),
          StripLines(input, SIZE_MAX).size()};
}

// The rows are given out in this order: first what a part needs to make sense, most important part
// first; then more of each. What is left goes to the tables in turn.
PartRows ShareRows(size_t rows, const PartRows& wanted) {
  struct Step {
    Part part;
    size_t up_to;
  };
  constexpr std::array<Step, 14> kSteps = {{{kLimit, 2},
                                            {kWaits, 3},
                                            {kLimit, 3},
                                            {kQuality, 1},
                                            {kStrip, 2},
                                            {kVertices, 3},
                                            {kLimit, 5},
                                            {kResources, 1},
                                            {kStrip, 3},
                                            {kWaits, 5},
                                            {kLimit, 7},
                                            {kVertices, 5},
                                            {kAlso, 1},
                                            {kResources, 2}}};
  PartRows given{};
  const auto give = [&](Part part, size_t up_to) {
    const size_t target = std::min(up_to, wanted[part]);
    if (target <= given[part] || target - given[part] > rows) return false;
    rows -= target - given[part];
    given[part] = target;
    return true;
  };
  for (const Step& step : kSteps) give(step.part, step.up_to);
  // Ends: every turn but the last gives a row away.
  for (bool gave = true; gave;) {
    gave = false;
    for (const Part part : {kWaits, kVertices, kLimit, kAlso, kQuality, kResources})
      gave |= give(part, given[part] + 1);
  }
  return given;
}

void Append(ScreenLines part, ScreenLines& lines) {
  std::move(part.begin(), part.end(), std::back_inserter(lines));
}

ScreenLines Overview(const PartInput& input, size_t rows) {
  PartRows given = WantedRows(input);
  if (rows > 0) {
    given = ShareRows(rows, given);
  } else {
    given[kWaits] = std::min(given[kWaits], kRowsWithoutEnd);
    given[kVertices] = std::min(given[kVertices], kRowsWithoutEnd);
    given[kResources] = std::min(given[kResources], kResourcesWithoutEnd);
  }
  ScreenLines lines = LimitLines(input, given[kLimit]);
  ScreenLines also = OtherFindingLines(input);
  also.erase(also.begin() + static_cast<ptrdiff_t>(given[kAlso]), also.end());
  Append(std::move(also), lines);
  Append(WaitLines(input, given[kWaits]), lines);
  Append(VertexLines(input, given[kVertices]), lines);
  Append(ResourceLines(input, given[kResources]), lines);
  Append(QualityLines(input, given[kQuality]), lines);
  Append(StripLines(input, given[kStrip]), lines);
  return lines;
}

// Cuts out what is on the screen, and tells how far it is scrolled.
size_t ScrollLines(const TopState& state, size_t rows, ScreenLines& lines) {
  const size_t most = lines.size() - std::min(lines.size(), rows);
  size_t first = std::min(state.scroll, most);
  const auto chosen = std::find_if(lines.begin(), lines.end(),
                                   [](const ScreenLine& line) { return line.is_chosen; });
  if (state.follows_choice && chosen != lines.end()) {
    const auto at = static_cast<size_t>(chosen - lines.begin());
    // The heads of the page stay in sight as long as the choice allows.
    if (at < first) first = at;
    if (at >= first + rows) first = at - rows + 1;
  }
  lines.erase(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(first));
  if (lines.size() > rows) lines.erase(lines.begin() + static_cast<ptrdiff_t>(rows), lines.end());
  return first;
}

ScreenLine KeyLine(const TopState& state, const ScreenSize& size) {
  const bool is_overview = state.path.empty() && !state.shows_help;
  const std::string window = absl::StrCat("window ", FormatDuration(state.window_ns));
  struct KeyName {
    std::string_view keys;
    std::string_view does;
  };
  // Most important first: a narrow screen cuts the line.
  const std::array<KeyName, 7> keys = {
      {{"?", "help"},
       {"q", "quit"},
       is_overview ? KeyName{"j k", "choose"} : KeyName{"Esc", "back"},
       {"Enter", "into"},
       {"f", state.is_frozen ? "go on" : "freeze"},
       {"+ -", window},
       {"s", "save"}}};
  ScreenLine line(size);
  for (const KeyName& key : keys) {
    if (key.keys.size() + 1 + key.does.size() > line.left()) break;
    line.Put(key.keys, Look::kStrong).Skip(1).Put(key.does, Look::kFaint).Skip(3);
  }
  return line;
}

ScreenLines WaitingLines(const TopState& state, const ScreenSize& size) {
  ScreenLines lines;
  for (const std::string& part : WrapColumns(state.message, size.columns, 4, size.charset))
    lines.emplace_back(size).Put(part, Look::kStrong);
  return lines;
}

}  // namespace

ScreenPage DrawTop(const LiveMoment* moment, const TopState& state, const ScreenSize& size) {
  ScreenPage page;
  const size_t foot = size.rows == 0 ? 0 : std::min<size_t>(size.rows, 2);
  const size_t rows = size.rows - foot;
  if (state.shows_help) {
    page.lines = HelpLines(size);
  } else if (moment == nullptr) {
    page.lines = WaitingLines(state, size);
  } else if (!state.path.empty()) {
    page.lines = VertexPageLines({*moment, state, size}, state.path.back());
  } else {
    page.lines = Overview({*moment, state, size}, rows);
  }
  if (size.rows == 0) {
    if (moment != nullptr) page.lines.push_back(StatusLine({*moment, state, size}));
    return page;
  }
  page.scrolled = ScrollLines(state, rows, page.lines);
  while (page.lines.size() < rows) page.lines.emplace_back(size);
  if (foot == 2)
    page.lines.push_back(moment == nullptr ? ScreenLine(size) : StatusLine({*moment, state, size}));
  page.lines.push_back(KeyLine(state, size));
  return page;
}

std::string FrameLine(const pb::LiveFrame& frame) {
  std::string line = frame.at().empty() ? SecondsText(frame.to_s()) : frame.at();
  if (!frame.findings().empty()) {
    const auto held_s = static_cast<int64_t>(frame.held_s());
    absl::StrAppend(&line, "  ", NarrowPercentText(frame.findings(0).share()), "  for ", held_s,
                    " s");
  }
  const bool has_finding = !frame.findings().empty();
  absl::StrAppend(&line, "  ", has_finding ? frame.findings(0).title() : frame.verdict());
  if (frame.ended()) absl::StrAppend(&line, "  (ended)");
  return DisplayText(line, Charset::kUnicode);
}

}  // namespace gordian
