// SPDX-License-Identifier: Apache-2.0
#include "loglines/related_lines.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "loglines/told_blame.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// To tell a line's writer costs a look at all threads. A slice with more lines is not read line by
// line.
constexpr uint64_t kMostJudgedLines = 20'000;
constexpr size_t kMostLikelyWriters = 8;
constexpr size_t kMostRelatedText = 400;
// Lines are in the slice if that is more likely than not.
constexpr double kIsWithin = 0.5;

}  // namespace

void RelatedLines::TakeLine(uint32_t file, const FileContext& context, const StampedLine& line) {
  const LineWindow window = context.WindowOf(*line.stamp);
  if (!window.is_within() || window.to_ns <= range_.from_ns || window.from_ns >= range_.to_ns)
    return;
  if (judged_ == kMostJudgedLines) {
    ++not_judged_;
    return;
  }
  ++judged_;
  const SampleLine sample = context.SampleOf(line.text, *line.stamp);
  WithinSlice within;
  for (const LineWriter& writer :
       setting_.writers.WritersOf(context.signs(), sample, kMostLikelyWriters)) {
    const uint32_t node = setting_.recording.timeline->entities()[writer.thread].node;
    const LineWindow& own = sample.windows[node];
    if (!cover_.Holds(writer.thread, own.from_ns, own.to_ns)) continue;
    if (within.thread == kNobody) {
      within.thread = writer.thread;
      within.from_ns = own.from_ns;
      within.to_ns = own.to_ns;
    }
    within.how_sure += writer.how_sure;
  }
  if (within.how_sure < kIsWithin) return;
  within.line = {file, line.number};
  within.text = CleanText(line.text.substr(0, kMostRelatedText));
  within_.push_back(std::move(within));
}

absl::Status RelatedLines::ReadFile(FileContext& context, WordLines& words) {
  const auto file = static_cast<uint32_t>(paths_.size());
  paths_.push_back(CleanText(context.log().path()));
  uint64_t without_stamp = 0;
  uint64_t lines = 0;
  absl::Status status = context.log().ForEachLine(context.reading(), [&](const StampedLine& line) {
    ++lines;
    words.Take(file, line.number, line.text);
    if (!line.stamp) ++without_stamp;
    if (line.is_stamp_own) TakeLine(file, context, line);
    return true;
  });
  if (!status.ok()) return status;
  if (lines > 0 && without_stamp == lines)
    notes_.push_back(absl::StrCat(paths_.back(),
                                  " has no time stamps that are known; only its "
                                  "words were compared."));
  if (context.log().too_long() > 0)
    notes_.push_back(absl::StrCat(FormatCount(context.log().too_long(), "line"), " of ",
                                  paths_.back(), " are longer than 8 MiB and were not read."));
  return absl::OkStatus();
}

std::string RelatedLines::NodeName(uint32_t node) const {
  const std::vector<std::string>& names = setting_.recording.timeline->nodes();
  return node < names.size() ? CleanText(names[node]) : "";
}

void RelatedLines::Tell(EntityId writer, Line asked, const WordLines& words, size_t most,
                        pb::LogExplanation& told) const {
  const Timeline& timeline = *setting_.recording.timeline;
  std::vector<const WithinSlice*> by_time;
  std::set<Line> within = {asked};
  for (const WithinSlice& line : within_) {
    within.insert(line.line);
    if (line.thread != writer && line.line != asked) by_time.push_back(&line);
  }
  std::stable_sort(by_time.begin(), by_time.end(), [](const WithinSlice* a, const WithinSlice* b) {
    return a->from_ns < b->from_ns;
  });
  // The last ones: they are nearest to the line.
  const size_t first = by_time.size() > most ? by_time.size() - most : 0;
  told.set_lines_left_out(first + not_judged_);
  for (size_t i = first; i < by_time.size(); ++i) {
    const WithinSlice& line = *by_time[i];
    pb::ExplainedLine& row = *told.add_lines();
    row.set_file(paths_[line.line.first]);
    row.set_line(line.line.second);
    row.set_from_ns(line.from_ns - timeline.start_ns());
    row.set_to_ns(line.to_ns - timeline.start_ns());
    row.set_node(NodeName(timeline.entities()[line.thread].node));
    row.set_thread(WhoOf(timeline, line.thread));
    row.set_text(line.text);
    row.set_how_sure(std::min(1.0, line.how_sure));
  }
  for (const WordLines::Word& word : words.RareWords()) {
    pb::RareWord& rare = *told.add_rare_words();
    rare.set_word(CleanText(word.word));
    rare.set_lines(word.lines);
  }
  uint64_t elsewhere = 0;
  for (const WordLines::Related& related : words.LinesWithRareWords()) {
    if (within.contains({related.place.file, related.place.number})) continue;
    if (++elsewhere > most) continue;
    pb::ExplainedLine& row = *told.add_elsewhere();
    row.set_file(paths_[related.place.file]);
    row.set_line(related.place.number);
    row.set_text(CleanText(related.place.text));
    for (const std::string& word : related.words) row.add_words(CleanText(word));
  }
  told.set_elsewhere_left_out(elsewhere > most ? elsewhere - most : 0);
}

}  // namespace gordian
