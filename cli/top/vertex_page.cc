// SPDX-License-Identifier: Apache-2.0
#include "cli/top/vertex_page.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/top/bars.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostThreads = 100;
constexpr int kMostStacks = 3;
constexpr int kMostFrames = 6;
constexpr size_t kThreadBarColumns = 20;
constexpr size_t kNumberColumns = 7;
constexpr size_t kLeastThreadName = 16;

void AddHead(std::string_view title, const ScreenSize& size, ScreenLines& lines) {
  lines.emplace_back(size);
  lines.emplace_back(size).Put(title, Look::kStrong);
}

void AddSummary(const PartInput& input, const pb::ReportVertex& vertex, ScreenLines& lines) {
  const double length_s = FrameLengthS(input.moment.frame);
  std::string text = vertex.kind();
  const auto add = [&](const std::string& fact) { absl::StrAppend(&text, " · ", fact); };
  if (vertex.members_size() > 0) {
    const double whole_s = length_s * vertex.members_size();
    add(FormatCount(static_cast<uint64_t>(vertex.members_size()), "thread"));
    add(absl::StrCat("runs ", PercentText(vertex.run_s() / whole_s)));
    add(absl::StrCat("ready ", PercentText(vertex.runnable_s() / whole_s)));
    add(absl::StrCat("waits ", PercentText(vertex.wait_s() / whole_s)));
  } else if (vertex.busy_s() > 0) {
    add(absl::StrCat("busy ", PercentText(vertex.busy_s() / length_s)));
  }
  if (!vertex.process().empty()) add(absl::StrCat("process ", vertex.process()));
  if (!vertex.node().empty()) add(absl::StrCat("node ", vertex.node()));
  if (!vertex.container().empty()) add(vertex.container());
  lines.emplace_back(input.size).Put(text);
}

void AddFindings(const PartInput& input, const pb::ReportVertex& vertex, ScreenLines& lines) {
  bool is_first = true;
  for (const pb::Finding& finding : input.moment.report.findings()) {
    if (std::find(finding.members().begin(), finding.members().end(), vertex.id()) ==
        finding.members().end())
      continue;
    if (std::exchange(is_first, false)) AddHead("FINDINGS", input.size, lines);
    for (const std::string& part : WrapColumns(
             absl::StrCat(finding.title(), " [", finding.kind(), ", ", finding.sure(), "]"),
             input.size.columns - std::min<size_t>(input.size.columns, 2), 3, input.size.charset))
      lines.emplace_back(input.size).Skip(2).Put(part);
  }
}

void AddWaits(const PartInput& input, std::span<const pb::ReportEdge* const> edges,
              std::string_view title, bool is_outward, ScreenLines& lines) {
  if (edges.empty()) return;
  lines.emplace_back(input.size);
  PutWaitHead(title, lines.emplace_back(input.size));
  const pb::Report& report = input.moment.report;
  for (const pb::ReportEdge* edge : edges) {
    const std::string& from = report.vertices(static_cast<int>(edge->from())).label();
    const std::string& to = report.vertices(static_cast<int>(edge->to())).label();
    ScreenLine& line = lines.emplace_back(input.size);
    PutCursor({from, to}, input.state, line);
    PutWait(report, *edge, FrameLengthS(input.moment.frame), is_outward ? to : from, line);
    for (const pb::WaitReason& reason : edge->reasons()) {
      if (reason.objects().empty()) continue;
      lines.emplace_back(input.size)
          .Skip(4)
          .Put(absl::StrCat(PercentText(reason.objects(0).share()), " ", reason.objects(0).text()),
               Look::kFaint);
      break;
    }
  }
}

void AddThreads(const PartInput& input, const pb::ReportVertex& vertex, ScreenLines& lines) {
  std::vector<const pb::ReportThread*> threads;
  for (const pb::ReportThread& thread : input.moment.report.threads())
    if (thread.vertex() == vertex.id()) threads.push_back(&thread);
  if (threads.empty() || vertex.members().empty()) return;
  std::stable_sort(threads.begin(), threads.end(), [](const auto* a, const auto* b) {
    return a->run_s() + a->runnable_s() > b->run_s() + b->runnable_s();
  });
  const size_t left_out = threads.size() - std::min(threads.size(), kMostThreads);
  threads.resize(threads.size() - left_out);
  const double length_s = FrameLengthS(input.moment.frame);
  lines.emplace_back(input.size);
  ScreenLine& head = lines.emplace_back(input.size);
  head.Put("THREADS  ", Look::kStrong);
  PutStatesLegend(head);
  for (const pb::ReportThread* thread : threads) {
    ScreenLine& line = lines.emplace_back(input.size);
    const size_t numbers = kThreadBarColumns + 1 + 3 * kNumberColumns;
    line.Skip(2);
    const size_t name = std::max(line.left() - std::min(line.left(), numbers), kLeastThreadName);
    line.PutLeft(absl::StrCat(thread->name(), "/", thread->tid()), name);
    const StateShares shares = {.run = (thread->run_s() + thread->spin_s()) / length_s,
                                .ready = thread->runnable_s() / length_s,
                                .wait = thread->wait_s() / length_s};
    PutStates(shares, std::min(kThreadBarColumns, line.left()), line);
    line.Skip(1);
    line.PutRight(NarrowPercentText(shares.run), kNumberColumns);
    line.PutRight(NarrowPercentText(shares.ready), kNumberColumns);
    line.PutRight(NarrowPercentText(shares.wait), kNumberColumns);
  }
  if (left_out > 0)
    lines.emplace_back(input.size)
        .Skip(2)
        .Put(absl::StrCat("and ", FormatCount(left_out, "more thread")), Look::kFaint);
}

void AddStacks(const PartInput& input, std::string_view title,
               const google::protobuf::RepeatedPtrField<pb::CodeStack>& stacks,
               ScreenLines& lines) {
  if (stacks.empty()) return;
  AddHead(title, input.size, lines);
  const pb::Report& report = input.moment.report;
  for (int i = 0; i < std::min(stacks.size(), kMostStacks); ++i) {
    const pb::CodeStack& stack = stacks[i];
    std::string text;
    for (int frame = 0; frame < std::min(stack.frames_size(), kMostFrames); ++frame)
      absl::StrAppend(&text, frame == 0 ? "" : " ← ",
                      report.code(static_cast<int>(stack.frames(frame))).label());
    lines.emplace_back(input.size)
        .PutRight(NarrowPercentText(stack.share()), kNumberColumns)
        .Skip(1)
        .Put(text);
  }
}

}  // namespace

ScreenLines VertexPageLines(const PartInput& input, const std::string& label) {
  ScreenLines lines;
  lines.emplace_back(input.size).Put(label, Look::kStrong);
  const pb::Report& report = input.moment.report;
  const pb::ReportVertex* const vertex = FindVertex(report, label);
  if (vertex == nullptr) {
    lines.emplace_back(input.size).Put("It does nothing in this window.");
    return lines;
  }
  AddSummary(input, *vertex, lines);
  AddFindings(input, *vertex, lines);
  const auto waits_of = WaitsOf(report, *vertex);
  AddWaits(input, waits_of, "WAITS FOR", true, lines);
  AddWaits(input, WaitsFor(report, *vertex), "IS WAITED FOR BY", false, lines);
  AddThreads(input, *vertex, lines);
  AddStacks(input, "RUNS IN", vertex->running_stacks(), lines);
  if (!waits_of.empty()) AddStacks(input, "WAITS IN", waits_of.front()->waiter_stacks(), lines);
  return lines;
}

}  // namespace gordian
