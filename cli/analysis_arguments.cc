// SPDX-License-Identifier: Apache-2.0
#include "cli/analysis_arguments.h"

#include <cstdlib>

#include "analysis/capacities.h"
#include "analyzer/graph/graph.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr int kMostThreads = 1024;
constexpr uint32_t kMostVertices = 1'000'000;

}  // namespace

CLI::Validator ShareOfOne() {
  return {[](std::string& text) {
            std::string wrong = "'" + text + "' is no share: give 20% or 0.2";
            const bool percent = !text.empty() && text.back() == '%';
            const std::string number = percent ? text.substr(0, text.size() - 1) : text;
            if (number.empty() || number.find_first_not_of("0123456789.") != std::string::npos)
              return wrong;
            char* end = nullptr;
            const double share = std::strtod(number.c_str(), &end) / (percent ? 100 : 1);
            if (*end != '\0' || !(share >= 0 && share <= 1)) return wrong;
            text = std::to_string(share);
            return std::string();
          },
          ""};
}

namespace {

CLI::Validator GroupRuleText() {
  return {[](std::string& text) {
            const auto rule = ParseGroupRule(text);
            return rule.ok() ? std::string() : std::string(rule.status().message());
          },
          ""};
}

// Whether the parser takes it.
template <typename Parse>
CLI::Validator TextThatParses(Parse parse) {
  return {[parse](std::string& text) {
            const auto parsed = parse(text);
            return parsed.ok() ? std::string() : std::string(parsed.status().message());
          },
          ""};
}

}  // namespace

void AddDirectoryOption(CLI::App& command, std::string& directory) {
  command.add_option("DIR", directory, "The recording's folder")
      ->required()
      ->check(NotEmpty("the folder's name"));
}

void AddTargetOptions(CLI::App& command, TargetOptions& options) {
  command
      .add_option("--pid", options.pids,
                  "The analysis is about this process and its descendants (repeatable)")
      ->check(ProcessNumber())
      ->allow_extra_args(false)
      ->type_name("PID");
  command
      .add_option("--comm", options.comms,
                  "… about threads and processes of this name (repeatable)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  command
      .add_option("--cgroup", options.cgroups,
                  "… about this cgroup2 group and those below it (repeatable)")
      ->allow_extra_args(false)
      ->type_name("PATH");
}

void AddNodeOption(CLI::App& command, TargetOptions& options) {
  command
      .add_option("--node", options.nodes,
                  "… on this node of many, with the above or alone (repeatable)")
      ->allow_extra_args(false)
      ->type_name("NAME");
}

void AddGraphOptions(CLI::App& command, AnalysisOptions& options) {
  command
      .add_option("--group", options.graph.groups,
                  "Take all threads whose name matches REGEX for one vertex called NAME "
                  "(repeatable)")
      ->check(GroupRuleText())
      ->allow_extra_args(false)
      ->type_name("REGEX=NAME");
  command.add_flag("--no-merge", options.graph.no_merge, "Leave every thread a vertex of its own");
  AddAssumeOption(command, options.graph.assume_false_wakeups);
  AddCapacityOptions(command, options.capacities);
  command
      .add_option("--threads", options.threads,
                  "Threads to analyze with (default: one for each CPU)")
      ->check(WholeNumber(1, kMostThreads))
      ->type_name("N");
  command
      .add_option("--memory", options.memory.bytes,
                  "About as much memory as the analysis of a large recording may take; what needs "
                  "more lies in unlinked files in $TMPDIR, else /var/tmp (default 1G)")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
}

void AddCapacityOptions(CLI::App& command, CapacityOptions& options) {
  command
      .add_option("--link", options.links,
                  "The speed of a link, in bits per second, if the kernel does not tell it "
                  "(eth0=1G; repeatable)")
      ->check(TextThatParses(ParseLinkSpeed))
      ->allow_extra_args(false)
      ->type_name("NAME=RATE");
  command
      .add_option("--disk", options.disks,
                  "What a disk can do per second (nvme0n1=500MB/s,20kIOPS or one of both; "
                  "repeatable)")
      ->check(TextThatParses(ParseDiskCapacity))
      ->allow_extra_args(false)
      ->type_name("NAME=RATES");
  command
      .add_option_function<std::string>(
          "--capacities",
          [&options](const std::string& path) {
            const absl::Status status = ReadCapacityFile(path, options);
            if (!status.ok())
              throw CLI::ValidationError("--capacities", std::string(status.message()));
          },
          "A file of such texts, a line each: link eth0=1G, disk nvme0n1=20kIOPS")
      ->type_name("FILE");
}

void AddAssumeOption(CLI::App& command, bool& assume_false_wakeups) {
  command.add_flag(
      "--assume-false-wakeups", assume_false_wakeups,
      "Count likely false wakeups (see the report) as if the program had told of them");
}

void AddFindingOptions(CLI::App& command, SearchOptions& options) {
  command
      .add_option(
          "--threshold", options.threshold,
          "A wait heavier than this share of the recording is never cut from a knot (default 20%)")
      ->transform(ShareOfOne())
      ->type_name("SHARE");
  command
      .add_option("--max-vertices", options.max_vertices,
                  "Refine a knot until it has no more vertices than this")
      ->check(WholeNumber(1, kMostVertices))
      ->type_name("N");
  command.add_flag("--keep-background", options.keep_background,
                   "Take knots in the background like any other");
}

void AddExplainOption(CLI::App& command, SearchOptions& options) {
  command.add_flag("--explain", options.explain,
                   "Tell each wait that was cut and each split, in order");
}

void AddPredictionOption(CLI::App& command, bool& no_predictions) {
  command.add_flag("--no-predictions", no_predictions,
                   "Do not replay the recording to tell what fixes would gain");
}

void AddTimeRangeOptions(CLI::App& command, RangeOptions& options) {
  command
      .add_option("--from", options.from_ns,
                  "From this time after the recording's start on (2s, 1500ms)")
      ->transform(TimeInNs())
      ->type_name("TIME");
  command.add_option("--to", options.to_ns, "Until this time after the recording's start")
      ->transform(TimeInNs())
      ->type_name("TIME");
}

}  // namespace gordian
