// SPDX-License-Identifier: Apache-2.0
#include "cli/slice_arguments.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "cli/analysis_arguments.h"
#include "output/message_json.h"
#include "output/participation_text.h"
#include "output/perfetto_slice.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr size_t kMostPathSteps = 50;

template <typename Names>
size_t PlaceOf(const Names& names, const std::string& name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <typename Names>
CLI::Validator OneOf(const Names& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description("");
}

SliceQuestion QuestionOf(const SliceArguments& arguments, bool has_time) {
  SliceQuestion question = arguments.question;
  if (has_time) question.at_ns = arguments.at_ns;
  question.request.forward = arguments.forward;
  question.request.scope = static_cast<CausalScope>(PlaceOf(kCausalScopeNames, arguments.scope));
  question.by = static_cast<SliceBy>(PlaceOf(kSliceByNames, arguments.by));
  if (!arguments.edges.empty()) {
    question.request.edge_kinds = 0;
    for (const std::string& edge : arguments.edges)
      question.request.edge_kinds |= BitOf(static_cast<CauseEdge>(PlaceOf(kCauseEdgeNames, edge)));
  }
  return question;
}

// Nothing if it is neither a word nor a number.
std::optional<uint32_t> NumberOfOccurrence(const std::string& word) {
  uint32_t number = 0;
  if (word == "longest") return 0;
  if (word == "first") return 1;
  if (!absl::SimpleAtoi(word, &number) || number == 0) return std::nullopt;
  return number;
}

void AddPathOptions(CLI::App& command, SliceArguments& arguments) {
  command
      .add_option("--scope", arguments.scope,
                  "Over which waits a thread's work goes on: burst (none), request (all but those "
                  "for events of any kind), phase (those within one phase that the program tells), "
                  "thread (all)")
      ->check(OneOf(kCausalScopeNames))
      ->type_name("SCOPE")
      ->capture_default_str();
  command
      .add_option("--hops", arguments.question.request.max_hops,
                  "No further than so many edges between threads")
      ->check(WholeNumber(0, kNoHopLimit - 1))
      ->type_name("N");
  command
      .add_option("--network-hops", arguments.question.request.max_network_hops,
                  "No further than so many messages between nodes")
      ->check(WholeNumber(0, kNoHopLimit - 1))
      ->type_name("N");
  command
      .add_option("--edges", arguments.edges,
                  "Only along these edges: wake, message, disk, create, lock (default: all)")
      ->check(OneOf(kCauseEdgeNames))
      ->delimiter(',')
      ->type_name("KIND");
}

void AddSliceOutputs(CLI::App& command, SliceArguments& arguments) {
  command
      .add_option(
          "--by", arguments.by,
          "Rows by thread, name (numbers in names do not count), process, node, function or "
          "phase")
      ->check(OneOf(kSliceByNames))
      ->type_name("WHAT")
      ->capture_default_str();
  command.add_option("--top", arguments.text.most_rows, "So many rows in the table")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(
          "--diff", arguments.diff,
          "Instead: what another recording's slice, for the same question, has more or less")
      ->check(NotEmpty("the folder's name"))
      ->type_name("DIR2");
  command.add_option("--diff-thread", arguments.diff_thread, "There: this thread instead")
      ->check(NotEmpty("the thread's name"))
      ->type_name("NAME|TID")
      ->needs("--diff");
  command.add_option("--diff-at", arguments.diff_at_ns, "There: this moment instead")
      ->transform(TimeInNs())
      ->type_name("TIME")
      ->needs("--diff");
  const auto add_file = [&command](const char* name, std::string& path, const char* what) {
    command.add_option(name, path, what)->check(NotEmpty("the file's name"))->type_name("FILE");
  };
  add_file("--json", arguments.json, "JSON instead of text, into this file; - prints it");
  add_file("--dot", arguments.dot, "The tree of causes for Graphviz, likewise");
  add_file("--perfetto", arguments.perfetto, "The slice for ui.perfetto.dev, into this file");
}

}  // namespace

void AddSliceOptions(CLI::App& command, SliceArguments& arguments) {
  AddDirectoryOption(command, arguments.directory);
  command.add_option("--thread", arguments.question.thread, "The thread, by its name or number")
      ->check(NotEmpty("the thread's name"))
      ->type_name("NAME|TID");
  command.add_option("--node", arguments.question.node, "… on this node, of a recording of many")
      ->type_name("NAME")
      ->needs("--thread");
  command
      .add_option("--at", arguments.at_ns,
                  "The moment, counted from the recording's start (12.5s); by default the "
                  "thread's end, or with --forward its beginning")
      ->transform(TimeInNs())
      ->type_name("TIME");
  CLI::Option* forward = command.add_flag("--forward", arguments.forward,
                                          "What it led to, instead of what it came from");
  command.add_flag("--backward", arguments.backward, "What it came from (the default)")
      ->excludes(forward);
  CLI::Option* path = command.add_flag(
      "--critical-path", arguments.critical_path,
      "Instead: the one path back from the end of the thread, or of the recording's target");
  command
      .add_flag("--whole", arguments.question.whole,
                "Instead: the critical path of all that was recorded, not of the target alone")
      ->excludes("--thread");
  CLI::Option* phase =
      command
          .add_option("--phase", arguments.question.phase,
                      "Instead of a moment: this phase that the program tells, of --thread or of "
                      "any")
          ->check(NotEmpty("the phase's name"))
          ->type_name("NAME")
          ->excludes("--whole");
  command
      .add_option("--occurrence", arguments.occurrence,
                  "Which of the phases of that name: longest, first, or its number")
      ->type_name("WHICH")
      ->capture_default_str()
      ->needs(phase);
  AddTimeRangeOptions(command, arguments.question.range);
  AddPathOptions(command, arguments);
  AddSliceOutputs(command, arguments);
  for (const char* name : {"--at", "--forward", "--scope", "--hops", "--network-hops", "--edges",
                           "--by", "--diff", "--dot", "--perfetto"}) {
    path->excludes(command.get_option(name));
    command.get_option("--whole")->excludes(command.get_option(name));
  }
  for (const char* name : {"--at", "--diff-at"}) phase->excludes(command.get_option(name));
  command.get_option("--diff")->excludes(command.get_option("--dot"));
  command.get_option("--diff")->excludes(command.get_option("--perfetto"));
  command.add_option("--threads", arguments.options.threads, "Threads to work with")
      ->check(WholeNumber(1, 1024))
      ->type_name("N");
}

bool AsksForCriticalPath(const SliceArguments& arguments) {
  return arguments.critical_path || arguments.question.whole;
}

absl::StatusOr<SliceQuestion> SliceQuestionOf(const CLI::App& command,
                                              const SliceArguments& arguments) {
  SliceQuestion question = QuestionOf(arguments, !command.get_option("--at")->empty());
  const auto number = NumberOfOccurrence(arguments.occurrence);
  if (!number)
    return absl::InvalidArgumentError("--occurrence is longest, first, or a number from 1 on");
  question.phase_number = *number;
  if (AsksForCriticalPath(arguments)) return question;
  if (question.thread.empty() && question.phase.empty())
    return absl::InvalidArgumentError(
        "name the thread: --thread, or --phase, or ask for --critical-path");
  if (arguments.perfetto == "-")
    return absl::InvalidArgumentError("--perfetto is binary; name a file");
  return question;
}

absl::StatusOr<std::vector<OutputFile>> OpenSliceOutputs(const SliceArguments& arguments) {
  std::vector<OutputFile> files;
  const auto open = [&files](const std::string& path) {
    auto file = OutputFile::Open(path);
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
    return absl::OkStatus();
  };
  for (const std::string& path : {arguments.json, arguments.dot, arguments.perfetto}) {
    if (path.empty()) continue;
    if (absl::Status status = open(path); !status.ok()) return status;
  }
  if (files.empty()) {
    if (absl::Status status = open("-"); !status.ok()) return status;
  }
  return files;
}

absl::Status WriteSlice(const SliceArguments& arguments, const RecordedSlice& slice,
                        std::vector<OutputFile>& files) {
  size_t next = 0;
  if (!arguments.json.empty()) files[next++].Write(MessageJson(slice.told, JsonShape::kPretty));
  if (!arguments.dot.empty()) files[next++].Write(SliceDot(slice.told));
  if (!arguments.perfetto.empty()) {
    OutputFile& file = files[next++];
    PerfettoTrace trace([&file](std::string_view bytes) { file.Write(bytes); });
    WritePerfettoSlice(*slice.recording.timeline, slice.slice, arguments.forward, trace);
  }
  if (next == 0) files.front().Write(SliceText(slice.told, arguments.text));
  return PlaceTogether(files);
}

absl::Status WriteSliceDiff(const SliceArguments& arguments, const pb::Slice& first,
                            const pb::Slice& second, std::vector<OutputFile>& files) {
  pb::SliceDiff diff;
  *diff.mutable_first() = first;
  *diff.mutable_second() = second;
  for (pb::SliceDiffRow& row : DifferenceOf(first, second)) *diff.add_rows() = std::move(row);
  for (pb::SliceNodeDiff& node : TreeDifferenceOf(first, second))
    *diff.add_tree() = std::move(node);
  files.front().Write(arguments.json.empty() ? SliceDiffText(diff, arguments.text)
                                             : MessageJson(diff, JsonShape::kPretty));
  return PlaceTogether(files);
}

absl::Status WriteCriticalPath(const SliceArguments& arguments, const pb::CriticalPath& path,
                               std::vector<OutputFile>& files) {
  files.front().Write(arguments.json.empty() ? CriticalPathText(path, kMostPathSteps)
                                             : MessageJson(path, JsonShape::kPretty));
  return PlaceTogether(files);
}

}  // namespace gordian
