// gordian traffic: who sends how much to whom, and when.
#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/job_analysis.h"
#include "cli/report_outputs.h"
#include "cli/slow_progress.h"
#include "cli/traffic_json.h"
#include "cli/traffic_phases.h"
#include "cli/traffic_text.h"
#include "cli/verbs.h"
#include "cluster/nodes_file.h"
#include "trace/node_sessions.h"
#include "traffic/traffic.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr char kTrafficExamples[] =
    "gordian traffic run1                            (every process on every node)\n"
    "gordian traffic run1 --by host --per 1          (second by second)\n"
    "gordian traffic run1 --by rack --nodes-file nodes.yaml\n"
    "gordian traffic run1 --per Superstep            (phases that probes told of)\n"
    "gordian traffic run1 --json | jq '.total.payload_bytes'";

struct TrafficArguments {
  std::string directory;
  std::string level = "process";
  std::string per;
  std::string nodes_file;
  JobArguments job;
  size_t most_pairs = 20;
  int threads = 0;
  bool json = false;
};

absl::Status AddNodes(const TrafficArguments& arguments, TrafficOptions& options) {
  const auto sessions = FindNodeSessions(arguments.directory);
  if (!sessions.ok()) return sessions.status();
  for (const NodeSession& session : *sessions)
    options.nodes.push_back({.name = session.node, .directory = session.directory, .rack = {}});
  return absl::OkStatus();
}

// One node's session does not tell which node it is, if it was not collected into a folder of that
// name: what it was called in its cluster does.
absl::Status AddRacks(const TrafficArguments& arguments, TrafficOptions& options) {
  const std::string path = arguments.nodes_file.empty() ? DefaultNodesFile() : arguments.nodes_file;
  const absl::StatusOr<NodesFile> file = ReadNodesFile(path);
  if (!file.ok()) return file.status();
  if (file->racks.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has no 'racks'; add them (gordian-nodes(5))"));
  for (TrafficNode& node : options.nodes) {
    std::string name = node.name;
    if (name.empty()) {
      const auto session = SessionReader::Open(node.directory);
      if (!session.ok()) return session.status();
      name = (*session)->session().node_clock().node();
    }
    const auto rack = file->racks.find(name);
    if (rack != file->racks.end()) node.rack = rack->second;
  }
  return absl::OkStatus();
}

// From logs, once, by the first node's clocks; from probes, of every node that has some.
absl::Status AddPhases(const TrafficArguments& arguments, TrafficOptions& options) {
  options.by_phase = true;
  absl::Status failed;
  const size_t readings = arguments.job.inputs.logs.empty() ? options.nodes.size() : 1;
  for (size_t node = 0; node < readings; ++node) {
    JobArguments job = arguments.job;
    job.inputs.session_directory = options.nodes[node].directory;
    const auto reading = ReadJobOf(job);
    const auto phases = reading.ok() ? PhasesNamed(reading->job, arguments.per, node)
                                     : absl::StatusOr<std::vector<TrafficPhase>>(reading.status());
    if (!phases.ok()) {
      failed = phases.status();
      continue;
    }
    options.phases.insert(options.phases.end(), phases->begin(), phases->end());
  }
  return options.phases.empty() ? failed : absl::OkStatus();
}

TrafficLevel LevelOf(const std::string& name) {
  for (const TrafficLevel level :
       {TrafficLevel::kContainer, TrafficLevel::kHost, TrafficLevel::kRack})
    if (name == TrafficLevelName(level)) return level;
  return TrafficLevel::kProcess;
}

absl::StatusOr<std::string> TrafficOf(const TrafficArguments& arguments) {
  TrafficOptions options{.level = LevelOf(arguments.level), .threads = arguments.threads};
  if (absl::Status status = AddNodes(arguments, options); !status.ok()) return status;
  if (options.level == TrafficLevel::kRack) {
    if (absl::Status status = AddRacks(arguments, options); !status.ok()) return status;
  }
  if (!arguments.per.empty()) {
    const auto interval_ns = ParseInterval(arguments.per);
    if (!interval_ns.ok()) return interval_ns.status();
    if (interval_ns->has_value()) {
      options.interval_ns = **interval_ns;
    } else if (absl::Status status = AddPhases(arguments, options); !status.ok()) {
      return status;
    }
  }
  const SlowProgress progress("reading " + CleanText(arguments.directory));
  const auto traffic = MeasureTraffic(options);
  if (!traffic.ok()) return traffic.status();
  return arguments.json ? TrafficJson(*traffic, options.level)
                        : TrafficText(*traffic, {.most_pairs = arguments.most_pairs});
}

}  // namespace

Verb AddTrafficVerb(CLI::App& app) {
  const auto arguments = std::make_shared<TrafficArguments>();
  CLI::App* command =
      AddCommand(app, "traffic", "Tell who sends how much to whom, and when", kTrafficExamples);
  command
      ->add_option("DIR", arguments->directory,
                   "A recording, or what was collected from many nodes")
      ->required();
  command->add_option("--by", arguments->level, "Between whom: process, container, host or rack")
      ->check(CLI::IsMember({"process", "container", "host", "rack"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str();
  command
      ->add_option(
          "--per", arguments->per,
          "For each span of so many seconds, or for each phase of that name (default: some "
          "twenty spans)")
      ->type_name("SECONDS|PHASE");
  command
      ->add_option("--top", arguments->most_pairs,
                   "So many pairs in the table; the others in one "
                   "line")
      ->check(CLI::Range(size_t{1}, size_t{1'000'000}).description(""))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--nodes-file", arguments->nodes_file,
                   "Where racks are told, for --by rack (default: ~/.config/gordian/nodes.yaml)")
      ->type_name("FILE");
  AddLogOptions(*command, arguments->job);
  command->add_flag("--json", arguments->json, "As JSON");
  command
      ->add_option("--threads", arguments->threads,
                   "Threads to read with, at most one a node; one for each CPU by default")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  return {command, [arguments, command] {
            const absl::StatusOr<std::string> text = TrafficOf(*arguments);
            if (absl::IsInvalidArgument(text.status()))
              return FailUsage(*command, std::string(text.status().message()));
            return PrintOrFail(text);
          }};
}

}  // namespace gordian
