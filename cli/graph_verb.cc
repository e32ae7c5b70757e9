// gordian graph: the wait-for graph in lists.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "output/call_tree.h"
#include "output/message_json.h"
#include "report/edge_listing.h"
#include "report/edge_reasons.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr char kGraphExamples[] =
    "gordian graph trace                             (threads, groups and devices)\n"
    "gordian graph trace --edges                     (who waits for whom, heaviest first)\n"
    "gordian graph trace --edges --from worker --to vda --json\n"
    "gordian graph trace --edge worker vda --stacks  (in which code, on both sides)";

struct GraphVerbArguments {
  std::string directory;
  AnalysisOptions options;
  bool edges = false;
  bool json = false;
  bool stacks = false;
  std::vector<std::string> edge;  // waiter and whom it waits for
  EdgeFilter filter;
};

// Between nodes: how far off the clocks may be, and whether the waits are no longer than that.
std::string ClockText(const pb::ListedEdge& edge) {
  if (edge.clock_bound_s() == 0) return "";
  return absl::StrCat(edge.within_clock_bound() ? "≤ bound " : "±",
                      FormatDuration(static_cast<uint64_t>(edge.clock_bound_s() * 1e9)));
}

// What the waits were for has a column only if the recording tells.
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

void AppendSide(std::string_view title, uint64_t samples,
                const google::protobuf::RepeatedPtrField<pb::CodeStack>& stacks,
                const pb::EdgeStacks& edge, std::string& text) {
  if (stacks.empty()) return;
  absl::StrAppend(&text, "\n", std::string(title), " (", FormatCount(samples, "sample"), ")\n",
                  CallTreeText(stacks, edge.code()));
}

std::string StackText(const pb::EdgeStackListing& listing) {
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

absl::StatusOr<std::string> StackListing(const Analysis& analysis,
                                         const GraphVerbArguments& arguments) {
  const auto listing = analysis.StacksOf(arguments.filter);
  if (!listing.ok()) return listing.status();
  return arguments.json ? MessageJson(*listing, JsonShape::kPretty) : StackText(*listing);
}

absl::StatusOr<std::string> Listing(const GraphVerbArguments& arguments) {
  const auto analysis = AnalyzeShowing(arguments.directory, arguments.options);
  if (!analysis.ok()) return analysis.status();
  if (arguments.stacks) return StackListing(*analysis, arguments);
  if (!arguments.edges && arguments.edge.empty()) {
    pb::VertexListing listing;
    *listing.mutable_vertices() = analysis->report().vertices();
    return arguments.json ? MessageJson(listing, JsonShape::kPretty)
                          : VertexText(analysis->report());
  }
  const auto listing = ListEdges(analysis->report(), arguments.filter);
  if (!listing.ok()) return listing.status();
  return arguments.json ? MessageJson(*listing, JsonShape::kPretty) : EdgeText(*listing);
}

}  // namespace

Verb AddGraphVerb(CLI::App& app) {
  const auto arguments = std::make_shared<GraphVerbArguments>();
  CLI::App* command = AddCommand(app, "graph", "List who waits for whom", kGraphExamples);
  AddDirectoryOption(*command, arguments->directory);
  CLI::Option* edges = command->add_flag("--edges", arguments->edges,
                                         "The waits, heaviest first, instead of those who wait");
  command
      ->add_option("--from", arguments->filter.from,
                   "Only the waits of this thread, group or device")
      ->type_name("NAME|TID")
      ->needs(edges);
  command->add_option("--to", arguments->filter.to, "Only the waits for this one")
      ->type_name("NAME|TID")
      ->needs(edges);
  CLI::Option* edge = command
                          ->add_option("--edge", arguments->edge,
                                       "One wait: of the first for the second; as --edges --from "
                                       "--to")
                          ->type_name("NAME|TID NAME|TID")
                          ->expected(2)
                          ->excludes(edges);
  command
      ->add_flag("--stacks", arguments->stacks,
                 "With --edge: where in its code the one waits and the other ends the wait")
      ->needs(edge);
  command->add_flag("--json", arguments->json, "As JSON");
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments] {
            if (!arguments->edge.empty())
              arguments->filter = {arguments->edge[0], arguments->edge[1]};
            return PrintOrFail(Listing(*arguments));
          }};
}

}  // namespace gordian
