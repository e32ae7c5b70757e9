// SPDX-License-Identifier: Apache-2.0
#include "cli/traffic_arguments.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/job_arguments.h"
#include "cluster/nodes_file.h"
#include "output/traffic_json.h"
#include "output/traffic_text.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

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

}  // namespace

void AddTrafficOptions(CLI::App& command, TrafficArguments& arguments) {
  command
      .add_option("DIR", arguments.request.directory,
                  "A recording, or what was collected from many nodes")
      ->required()
      ->check(NotEmpty("the folder's name"));
  command.add_option("--by", arguments.level, "Between whom: process, container, host or rack")
      ->check(CLI::IsMember({"process", "container", "host", "rack"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str();
  command
      .add_option("--per", arguments.request.per,
                  "For each span of so many seconds, or for each phase of that name (default: some "
                  "twenty spans)")
      ->type_name("SECONDS|PHASE");
  command
      .add_option("--top", arguments.most_pairs,
                  "So many pairs in the table; the others in one "
                  "line")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--nodes-file", arguments.nodes_file,
                  "Where racks are told, for --by rack (default: ~/.config/gordian/nodes.yaml)")
      ->type_name("FILE");
  AddLogOptions(command, arguments.request.job);
  command.add_flag("--json", arguments.json, "As JSON");
  command
      .add_option("--threads", arguments.request.threads,
                  "Threads to read with, at most one a node; one for each CPU by default")
      ->check(WholeNumber(1, 1024))
      ->type_name("N");
}

absl::StatusOr<TrafficRequest> TrafficRequestOf(const TrafficArguments& arguments) {
  TrafficRequest request = arguments.request;
  request.level = LevelOf(arguments.level);
  if (request.level == TrafficLevel::kRack) {
    auto racks = RacksOf(arguments.nodes_file);
    if (!racks.ok()) return racks.status();
    request.racks = *std::move(racks);
  }
  return request;
}

std::string TrafficAnswer(const TrafficArguments& arguments, const Traffic& traffic) {
  return arguments.json ? TrafficJson(traffic, LevelOf(arguments.level))
                        : TrafficText(traffic, {.most_pairs = arguments.most_pairs});
}

}  // namespace gordian
