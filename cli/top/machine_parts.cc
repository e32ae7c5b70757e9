// SPDX-License-Identifier: Apache-2.0
// What the overview tells of requests, of the machine, of the data, and of the last minute.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/time_units.h"
#include "cli/top/bars.h"
#include "cli/top/frame_parts.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kResourceBarColumns = 8;
constexpr size_t kSecondsInMinute = 60;
// A finding shall be on the screen so soon after its events.
constexpr double kUsualLagS = 3;

// Behind a name: a bar where the share is known, and numbers.
struct ResourceText {
  std::string name;
  double share = -1;  // −1: of no known whole
  std::string numbers;
};

ResourceText TextOf(const pb::LiveResource& resource) {
  ResourceText text;
  const std::string node = resource.node().empty() ? "" : resource.node() + "/";
  if (resource.what() == "cpus") {
    text.name = absl::StrCat(node, "CPUs");
    text.numbers = absl::StrFormat("%.1f", resource.use());
    if (resource.capacity() > 0) {
      text.share = resource.use() / resource.capacity();
      absl::StrAppend(&text.numbers, " of ", absl::StrFormat("%.0f", resource.capacity()));
    }
    return text;
  }
  text.name = absl::StrCat(node, resource.name());
  if (resource.capacity() > 0) {
    text.share = resource.use() / resource.capacity();
    text.numbers = absl::StrCat(NarrowPercentText(text.share), " ");
  }
  absl::StrAppend(&text.numbers,
                  FormatSize(static_cast<uint64_t>(std::max(resource.bytes_per_s(), 0.0))), "/s");
  return text;
}

ResourceText TextOf(const pb::LiveRequests& requests) {
  const double per_s = std::round(requests.finished_per_s());
  return {.name = "requests",
          .numbers = absl::StrCat(FormatCount(static_cast<uint64_t>(std::max(per_s, 0.0))),
                                  "/s, median ", SecondsText(requests.median_s()), ", p99 ",
                                  SecondsText(requests.p99_s()))};
}

// CPUs first, then what is used most; rates without a whole last.
std::vector<ResourceText> SortedResources(const pb::LiveFrame& frame) {
  std::vector<ResourceText> texts;
  for (const pb::LiveResource& resource : frame.resources()) texts.push_back(TextOf(resource));
  const auto first_device =
      std::stable_partition(texts.begin(), texts.end(), [&](const ResourceText& text) {
        return text.name == "CPUs" || text.name.ends_with("/CPUs");
      });
  std::stable_sort(first_device, texts.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return texts;
}

size_t WidthOf(const ResourceText& text, Charset charset) {
  return DisplayWidth(DisplayText(text.name, charset)) + 1 +
         (text.share < 0 ? 0 : kResourceBarColumns + 1) + text.numbers.size();
}

struct Fact {
  std::string text;
  bool warns = false;
};

std::string Percent(double share, const std::string& of_what) {
  return absl::StrCat(PercentText(share), " ", of_what);
}

// What is not as it should be, the worst first; then what is always told.
std::vector<Fact> QualityFacts(const pb::LiveFrame& frame) {
  const pb::LiveQuality& quality = frame.quality();
  std::vector<Fact> facts;
  const auto warn_of = [&](uint64_t count, const char* thing, const char* fate) {
    if (count > 0) facts.push_back({absl::StrCat(FormatCount(count, thing), " ", fate), true});
  };
  for (const pb::LiveNode& node : frame.nodes()) {
    if (node.state() != "lost" && node.state() != "paused") continue;
    facts.push_back({absl::StrCat("node ", node.name(), " ", node.state(),
                                  node.because().empty() ? "" : ": ", node.because()),
                     true});
  }
  warn_of(quality.lost(), "record", "lost");
  warn_of(quality.lost_blocks(), "block", "lost");
  warn_of(quality.told_late(), "thing", "told too late");
  // The time that nobody can tell stands out if it is as long as what the limit takes.
  const double limit = frame.findings().empty() ? 0 : frame.findings(0).share();
  const auto tell_share = [&](double share, const char* what) {
    if (share >= 0.01) facts.push_back({Percent(share, what), share >= limit});
  };
  tell_share(quality.stalled_share(), "all waited");
  tell_share(quality.unknown_share(), "unknown");
  tell_share(quality.without_cause_share(), "of waits without a cause");
  if (quality.lag_s() > 0)
    facts.push_back({absl::StrCat(SecondsText(std::round(quality.lag_s() * 10) / 10), " behind"),
                     quality.lag_s() > kUsualLagS});
  if (quality.open_waits() > 0)
    facts.push_back(
        {absl::StrCat(FormatCount(quality.open_waits(), "wait"), " still open"), false});
  if (quality.paused_s() > 0)
    facts.push_back({absl::StrCat("paused ", SecondsText(quality.paused_s())), false});
  if (quality.lost() + quality.lost_blocks() == 0) facts.push_back({"nothing lost", false});
  std::stable_partition(facts.begin(), facts.end(), [](const Fact& fact) { return fact.warns; });
  return facts;
}

}  // namespace

// Ends: every turn of the loop takes one resource.
ScreenLines ResourceLines(const PartInput& input, size_t most) {
  ScreenLines lines;
  std::vector<ResourceText> texts = SortedResources(input.moment.frame);
  if (input.moment.frame.has_requests())
    texts.insert(texts.begin(), TextOf(input.moment.frame.requests()));
  const std::string more = "+99 more";
  size_t used = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const ResourceText& text = texts[i];
    const size_t width = WidthOf(text, input.size.charset);
    const bool fits = !lines.empty() && used + 3 + width <= input.size.columns;
    if (!fits) {
      if (lines.size() == most) {
        // The last line tells what is left out, even if it takes the room of a name.
        if (lines.empty()) return lines;
        if (lines.back().left() > more.size())
          lines.back().Skip(2).Put(absl::StrCat("+", texts.size() - i, " more"), Look::kFaint);
        return lines;
      }
      lines.emplace_back(input.size);
      used = 0;
    } else {
      lines.back().Skip(3);
      used += 3;
    }
    ScreenLine& line = lines.back();
    line.Put(text.name, Look::kStrong).Skip(1);
    if (text.share >= 0) {
      PutBar(text.share, kResourceBarColumns, line);
      line.Skip(1);
    }
    line.Put(text.numbers);
    used += width;
  }
  return lines;
}

ScreenLines QualityLines(const PartInput& input, size_t most) {
  ScreenLines lines;
  if (most == 0) return lines;
  ScreenLine* line = &lines.emplace_back(input.size);
  line->Put("data ", Look::kFaint);
  bool is_first = true;
  for (const Fact& fact : QualityFacts(input.moment.frame)) {
    const std::string text = (fact.warns ? "! " : "") + fact.text;
    const std::string between = is_first ? "" : " · ";
    const size_t width = DisplayWidth(DisplayText(between + text, input.size.charset));
    if (width > line->left() && !is_first && lines.size() < most) {
      line = &lines.emplace_back(input.size);
      line->Skip(5).Put(text, fact.warns ? Look::kWarning : Look::kPlain);
      continue;
    }
    line->Put(between, Look::kFaint).Put(text, fact.warns ? Look::kWarning : Look::kPlain);
    is_first = false;
  }
  return lines;
}

ScreenLines StripLines(const PartInput& input, size_t most) {
  ScreenLines lines;
  const pb::LiveFrame& frame = input.moment.frame;
  if (most < 2 || frame.strip().empty()) return lines;
  const LimitLetters& letters = input.state.letters;
  const size_t label_columns = 6;
  if (input.size.columns < label_columns + 2) return lines;
  const size_t columns = std::min(kSecondsInMinute, input.size.columns - label_columns);
  // A frame that was missed leaves its second blank.
  std::vector<std::string> heights(columns, " ");
  std::string names(columns, ' ');
  const auto last = std::llround(frame.strip(frame.strip_size() - 1).to_s());
  for (const pb::LiveSecond& second : frame.strip()) {
    const auto ago = last - std::llround(second.to_s());
    if (ago < 0 || ago >= static_cast<int64_t>(columns)) continue;
    const size_t column = columns - 1 - static_cast<size_t>(ago);
    heights[column] = HeightSign(second.share(), input.size.charset);
    names[column] = letters.Of(second);
  }
  std::string bars;
  for (const std::string& height : heights) bars += height;
  lines.emplace_back(input.size)
      .PutLeft("1 min", label_columns, Look::kFaint)
      .Put(bars, Look::kMain);
  lines.emplace_back(input.size).PutLeft("limit", label_columns, Look::kFaint).Put(names);
  if (most < 3) return lines;
  ScreenLine& legend = lines.emplace_back(input.size);
  legend.Skip(label_columns);
  // The letter of this second first: the line may end before all are told.
  std::vector<LimitLetters::Named> named = letters.Legend(frame);
  const char now = letters.Of(frame.strip(frame.strip_size() - 1));
  std::stable_partition(named.begin(), named.end(),
                        [&](const auto& one) { return one.letter == now; });
  for (const LimitLetters::Named& one : named) {
    legend.Put(std::string(1, one.letter), Look::kStrong);
    legend.Put(absl::StrCat(" ", one.kind, " ", one.limit, "  "), Look::kFaint);
  }
  return lines;
}

ScreenLine StatusLine(const PartInput& input) {
  const pb::LiveFrame& frame = input.moment.frame;
  const TopState& state = input.state;
  ScreenLine line(input.size);
  const auto put_notice = [&](std::string_view notice) {
    line.Put(notice, Look::kWarning).Skip(2);
  };
  if (state.is_frozen)
    put_notice(state.newer_frames == 0
                   ? "FROZEN"
                   : absl::StrCat("FROZEN, ", FormatCount(state.newer_frames, "newer frame")));
  if (frame.ended()) {
    const std::string because = frame.nodes_size() == 1 ? frame.nodes(0).because() : "";
    put_notice(absl::StrCat("ended", because.empty() ? "" : ": ", because));
  }
  if (!state.message.empty()) put_notice(state.message);
  if (!frame.ended() && static_cast<double>(state.silent_s) > kUsualLagS)
    put_notice(absl::StrCat("! nothing new for ", FormatDuration(state.silent_s * kNsPerSecond)));
  const std::string at = frame.at().size() > 11 ? frame.at().substr(11) : frame.at();
  line.Put(absl::StrCat("last ", SecondsText(FrameLengthS(frame)),
                        at.empty() ? "" : absl::StrCat(" until ", at), " · ", frame.target()),
           Look::kFaint);
  return line;
}

}  // namespace gordian
