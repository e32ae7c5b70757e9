// SPDX-License-Identifier: Apache-2.0
// gordian graph: the wait-for graph in lists.
#include <memory>
#include <vector>

#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/graph_text.h"
#include "output/message_json.h"
#include "report/edge_listing.h"

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
  std::vector<std::string> edge;  // waiter and the vertex it waits for
  EdgeFilter filter;
};

absl::StatusOr<std::string> StackListing(const Analysis& analysis,
                                         const GraphVerbArguments& arguments) {
  const auto listing = analysis.StacksOf(arguments.filter);
  if (!listing.ok()) return listing.status();
  return arguments.json ? MessageJson(*listing, JsonShape::kPretty) : EdgeStackText(*listing);
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
