// SPDX-License-Identifier: Apache-2.0
// What limits the target: the head of the overview.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/top/frame_parts.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kTitleLines = 2;
constexpr size_t kReasonLines = 2;
constexpr size_t kMostOthers = 3;

void AddText(std::string_view label, std::string_view text, size_t most, Look look,
             const ScreenSize& size, ScreenLines& lines) {
  const size_t indent = label.size();
  if (size.columns <= indent) return;
  for (const std::string& part : WrapColumns(text, size.columns - indent, most, size.charset)) {
    ScreenLine line(size);
    if (indent > 0) line.PutLeft(lines.empty() || label.empty() ? "" : label, indent, Look::kFaint);
    line.Put(part, look);
    lines.push_back(std::move(line));
    label = std::string_view("       ").substr(0, indent);
  }
}

std::string HowLong(const pb::LiveFrame& frame) {
  if (frame.held_s() >= 1)
    return absl::StrCat("for ",
                        SecondsText(static_cast<double>(static_cast<int64_t>(frame.held_s()))));
  return frame.strip_size() > 1 ? "new" : "";
}

// for 12 s · 34 % of the time · sure · up to 1.5 times the throughput without it
std::string Facts(const pb::LiveFrame& frame, const pb::LiveFinding& first) {
  std::string facts = HowLong(frame);
  const auto add = [&](const std::string& fact) {
    absl::StrAppend(&facts, facts.empty() ? "" : " · ", fact);
  };
  add(absl::StrCat(PercentText(first.share()), " of the time"));
  if (!first.sure().empty()) add(first.sure());
  if (first.upper_bound_gain() > 1)
    add(absl::StrCat("up to ", GainText(first.upper_bound_gain()), " the throughput without it"));
  return facts;
}

}  // namespace

ScreenLines LimitLines(const PartInput& input, size_t most) {
  const pb::LiveFrame& frame = input.moment.frame;
  ScreenLines lines;
  if (frame.findings().empty()) {
    AddText("", frame.verdict(), kTitleLines, Look::kStrong, input.size, lines);
  } else {
    const pb::LiveFinding& first = frame.findings(0);
    // In a low screen the facts are worth more than the sentence's end.
    const size_t title_lines = std::clamp<size_t>(most - 1, 1, kTitleLines);
    AddText("", first.title(), title_lines, Look::kStrong, input.size, lines);
    lines.push_back(std::move(ScreenLine(input.size).Put(Facts(frame, first))));
    if (!first.why().empty())
      AddText("why  ", first.why(0), kReasonLines, Look::kPlain, input.size, lines);
    if (!first.advice().empty())
      AddText("try  ", first.advice(0), kReasonLines, Look::kPlain, input.size, lines);
  }
  if (lines.size() > most) lines.erase(lines.begin() + static_cast<ptrdiff_t>(most), lines.end());
  return lines;
}

ScreenLines OtherFindingLines(const PartInput& input) {
  const pb::LiveFrame& frame = input.moment.frame;
  ScreenLines lines;
  for (int i = 1; i < frame.findings_size() && lines.size() < kMostOthers; ++i) {
    ScreenLine line(input.size);
    line.Put("also ", Look::kFaint).Put(frame.findings(i).title());
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace gordian
