// SPDX-License-Identifier: Apache-2.0
#include "output/timeline_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "output/text_table.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

std::string WaitWords(const pb::TimelineSegment& segment) {
  if (segment.state() != "wait" && segment.state() != "spin") return "";
  std::string text = segment.waits_for_tid() != 0
                         ? ThreadLabel(segment.waits_for(), segment.waits_for_tid())
                         : CleanText(segment.waits_for());
  if (text.empty()) text = "nobody known";
  if (!segment.waits_for_node().empty()) text.insert(0, CleanText(segment.waits_for_node()) + "/");
  return text;
}

std::string Remarks(const pb::TimelineSegment& segment) {
  std::string text = segment.kernel_state();
  if (segment.open_start())
    absl::StrAppend(&text, text.empty() ? "" : ", ", "began before the recording");
  if (segment.open_end()) absl::StrAppend(&text, text.empty() ? "" : ", ", "not ended with it");
  return text;
}

std::string ThreadText(const pb::TimelineThread& thread) {
  using Align = TextTable::Align;
  TextTable table({{"START", Align::kRight},
                   {"LENGTH", Align::kRight},
                   {"STATE"},
                   {"WAITS FOR"},
                   {"CAUSE"},
                   {"HOW"}});
  for (const pb::TimelineSegment& segment : thread.segments()) {
    table.AddRow({absl::StrFormat("%.6f", segment.start_s()),
                  SecondsText(segment.end_s() - segment.start_s()), segment.state(),
                  WaitWords(segment), segment.cause(), Remarks(segment)});
  }
  return absl::StrFormat("%s%s of %s (process %d), from %.6f s to %.6f s\n",
                         thread.node().empty() ? "" : CleanText(thread.node()) + "/",
                         ThreadLabel(thread.name(), thread.tid()), CleanText(thread.process()),
                         thread.pid(), thread.begin_s(), thread.end_s()) +
         table.ToString();
}

}  // namespace

std::string TimelineText(const pb::TimelineListing& listing) {
  std::string text;
  for (const pb::TimelineThread& thread : listing.threads())
    absl::StrAppend(&text, text.empty() ? "" : "\n", ThreadText(thread));
  return text;
}

}  // namespace gordian
