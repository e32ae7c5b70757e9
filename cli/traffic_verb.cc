// SPDX-License-Identifier: Apache-2.0
// gordian traffic: how much each node or thread sends to which other, and when.
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/recorded_traffic.h"
#include "cli/job_arguments.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "cluster/nodes_file.h"
#include "output/traffic_json.h"
#include "output/traffic_text.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kTrafficExamples[] =
    "gordian traffic run1                            (every process on every node)\n"
    "gordian traffic run1 --by host --per 1          (second by second)\n"
    "gordian traffic run1 --by rack --nodes-file nodes.yaml\n"
    "gordian traffic run1 --per Superstep            (phases that probes told of)\n"
    "gordian traffic run1 --json | jq '.total.payload_bytes'";

struct TrafficArguments {
  TrafficRequest request;
  std::string level = "process";
  std::string nodes_file;
  size_t most_pairs = 20;
  bool json = false;
};

absl::StatusOr<std::map<std::string, std::string>> RacksOf(const std::string& nodes_file) {
  const std::string path = nodes_file.empty() ? DefaultNodesFile() : nodes_file;
  absl::StatusOr<NodesFile> file = ReadNodesFile(path);
  if (!file.ok()) return file.status();
  if (file->racks.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has no 'racks'; add them (gordian-nodes(5))"));
  return std::move(file->racks);
}

TrafficLevel LevelOf(const std::string& name) {
  for (const TrafficLevel level :
       {TrafficLevel::kContainer, TrafficLevel::kHost, TrafficLevel::kRack})
    if (name == TrafficLevelName(level)) return level;
  return TrafficLevel::kProcess;
}

absl::StatusOr<std::string> TrafficOf(const TrafficArguments& arguments) {
  TrafficRequest request = arguments.request;
  request.level = LevelOf(arguments.level);
  if (request.level == TrafficLevel::kRack) {
    auto racks = RacksOf(arguments.nodes_file);
    if (!racks.ok()) return racks.status();
    request.racks = *std::move(racks);
  }
  const auto traffic = MeasureRecordedTraffic(request);
  if (!traffic.ok()) return traffic.status();
  return arguments.json ? TrafficJson(*traffic, request.level)
                        : TrafficText(*traffic, {.most_pairs = arguments.most_pairs});
}

}  // namespace

Verb AddTrafficVerb(CLI::App& app) {
  const auto arguments = std::make_shared<TrafficArguments>();
  CLI::App* command =
      AddCommand(app, "traffic", "Tell who sends how much to whom, and when", kTrafficExamples);
  command
      ->add_option("DIR", arguments->request.directory,
                   "A recording, or what was collected from many nodes")
      ->required()
      ->check(NotEmpty("the folder's name"));
  command->add_option("--by", arguments->level, "Between whom: process, container, host or rack")
      ->check(CLI::IsMember({"process", "container", "host", "rack"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str();
  command
      ->add_option(
          "--per", arguments->request.per,
          "For each span of so many seconds, or for each phase of that name (default: some "
          "twenty spans)")
      ->type_name("SECONDS|PHASE");
  command
      ->add_option("--top", arguments->most_pairs,
                   "So many pairs in the table; the others in one "
                   "line")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--nodes-file", arguments->nodes_file,
                   "Where racks are told, for --by rack (default: ~/.config/gordian/nodes.yaml)")
      ->type_name("FILE");
  AddLogOptions(*command, arguments->request.job);
  command->add_flag("--json", arguments->json, "As JSON");
  command
      ->add_option("--threads", arguments->request.threads,
                   "Threads to read with, at most one a node; one for each CPU by default")
      ->check(WholeNumber(1, 1024))
      ->type_name("N");
  return {command, [arguments, command] {
            const absl::StatusOr<std::string> text = TrafficOf(*arguments);
            if (absl::IsInvalidArgument(text.status()))
              return FailUsage(*command, std::string(text.status().message()));
            return PrintOrFail(text);
          }};
}

}  // namespace gordian
