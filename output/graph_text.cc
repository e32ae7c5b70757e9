// SPDX-License-Identifier: Apache-2.0
#include "output/graph_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "output/call_tree.h"
#include "output/text_table.h"
#include "report/edge_reasons.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Between nodes: the error bound of the clocks, and whether the waits are no longer than that.
std::string ClockText(const pb::ListedEdge& edge) {
  if (edge.clock_bound_s() == 0) return "";
  return absl::StrCat(edge.within_clock_bound() ? "≤ bound " : "±",
                      FormatDuration(static_cast<uint64_t>(edge.clock_bound_s() * 1e9)));
}

void AppendSide(std::string_view title, uint64_t samples,
                const google::protobuf::RepeatedPtrField<pb::CodeStack>& stacks,
                const pb::EdgeStacks& edge, std::string& text) {
  if (stacks.empty()) return;
  absl::StrAppend(&text, "\n", std::string(title), " (", FormatCount(samples, "sample"), ")\n",
                  CallTreeText(stacks, edge.code()));
}

}  // namespace

// The reasons of waits have a column only if the recording tells them.
std::string EdgeText(const pb::EdgeListing& listing) {
  using Align = TextTable::Align;
  const bool reasons =
      std::any_of(listing.edges().begin(), listing.edges().end(),
                  [](const pb::ListedEdge& edge) { return !edge.reasons().empty(); });
  std::vector<TextTable::Column> columns({{"FROM"},
                                          {"TO"},
                                          {"WEIGHT", Align::kRight},
                                          {"OWN", Align::kRight},
                                          {"CASCADED", Align::kRight},
                                          {"WAITS", Align::kRight},
                                          {"LONGEST", Align::kRight}});
  const bool clocks =
      std::any_of(listing.edges().begin(), listing.edges().end(),
                  [](const pb::ListedEdge& edge) { return edge.clock_bound_s() > 0; });
  if (clocks) columns.push_back({"CLOCKS"});
  if (reasons) columns.push_back({"FOR"});
  TextTable table(columns);
  for (const pb::ListedEdge& edge : listing.edges()) {
    std::vector<std::string> cells({edge.from(), edge.to(), SecondsText(edge.weight_s()),
                                    SecondsText(edge.own_s()), SecondsText(edge.cascaded_s()),
                                    FormatCount(edge.count()), SecondsText(edge.longest_s())});
    if (clocks) cells.push_back(ClockText(edge));
    if (reasons) cells.push_back(ShortReasonText(edge.reasons()));
    table.AddRow(std::move(cells));
  }
  return table.ToString();
}

std::string VertexText(const pb::Report& report) {
  using Align = TextTable::Align;
  TextTable table({{"NAME"},
                   {"KIND"},
                   {"THREADS", Align::kRight},
                   {"RUN", Align::kRight},
                   {"RUNNABLE", Align::kRight},
                   {"WAIT", Align::kRight},
                   {"BUSY", Align::kRight},
                   {"SCOPE"}});
  const VertexNames names(report);
  for (const pb::ReportVertex& vertex : report.vertices()) {
    const bool threads = IsThreadKind(vertex.kind());
    const auto of_threads = [threads](double seconds) {
      return threads ? SecondsText(seconds) : std::string();
    };
    table.AddRow({names.Name(vertex.id()), vertex.kind(),
                  threads ? absl::StrCat(vertex.members_size()) : "", of_threads(vertex.run_s()),
                  of_threads(vertex.runnable_s()), of_threads(vertex.wait_s()),
                  threads ? "" : SecondsText(vertex.busy_s()),
                  vertex.target()     ? "target"
                  : vertex.in_scope() ? "in scope"
                                      : ""});
  }
  return table.ToString();
}

std::string EdgeStackText(const pb::EdgeStackListing& listing) {
  std::string text;
  for (const pb::EdgeStacks& edge : listing.edges()) {
    const pb::ListedEdge& ids = edge.edge();
    absl::StrAppend(&text, text.empty() ? "" : "\n", ids.from(), " waits for ", ids.to(), ": ",
                    SecondsText(ids.own_s()), " in ", FormatCount(ids.count(), "wait"), "\n");
    if (!edge.reasons().empty())
      absl::StrAppend(&text, "in ", ReasonsText(edge.reasons()), "\n", ObjectLines(edge.reasons()));
    if (edge.waiter_stacks().empty() && edge.waker_stacks().empty())
      absl::StrAppend(&text, "No stack of these waits was taken.\n");
    AppendSide(absl::StrCat("Where ", ids.from(), " waits"), edge.waiter_samples(),
               edge.waiter_stacks(), edge, text);
    AppendSide(absl::StrCat("Where ", ids.to(), " ends the wait"), edge.waker_samples(),
               edge.waker_stacks(), edge, text);
  }
  return text;
}

}  // namespace gordian
