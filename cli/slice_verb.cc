// SPDX-License-Identifier: Apache-2.0
// gordian slice: what a moment of a thread came from, or led to.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "analysis/recorded_slice.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/ask_daemons.h"
#include "cli/near_slice_run.h"
#include "cli/output_file.h"
#include "cli/own_store.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "output/participation_text.h"
#include "output/perfetto_slice.h"
#include "output/slice_text.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kSliceExamples[] =
    "gordian slice trace --thread 4711 --at 12.5s           (what that moment came from)\n"
    "gordian slice trace --thread server --at 2s --forward --by process\n"
    "gordian slice trace --thread 4711 --at 12.5s --scope burst --hops 3 --dot causes.dot\n"
    "gordian slice before --thread client --diff after\n"
    "gordian slice trace --critical-path\n"
    "gordian slice trace --phase superstep --critical-path    (of the longest one)\n"
    "gordian slice trace --whole                              (not of the target alone)\n"
    "gordian slice run1 --nodes all --thread client          (asks the nodes; collects nothing)\n"
    "gordian slice trace --critical-path --thread 4711 --from 10s --to 12s --json -";

struct SliceArguments {
  std::string directory;  // or a session of gordiand
  DaemonChoice daemons;
  SliceQuestion question;
  uint64_t at_ns = 0;
  bool forward = false;
  bool backward = false;
  std::string scope = "request";
  std::string by = "name";
  std::vector<std::string> edges;
  std::string occurrence = "longest";
  bool critical_path = false;
  std::string diff;         // a second recording
  std::string diff_thread;  // there; empty: the same
  uint64_t diff_at_ns = 0;
  bool has_diff_at = false;  // else the same time, or the thread's own end
  SliceTextOptions text;
  std::string json;  // a file, or -; likewise
  std::string dot;
  std::string perfetto;
  AnalysisOptions options;
};

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

int FailSlice(const CLI::App& command, const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) return FailUsage(command, std::string(status.message()));
  return Fail(status);
}

absl::StatusOr<RecordedSlice> AskSlice(const SliceArguments& arguments,
                                       const std::string& directory,
                                       const SliceQuestion& question) {
  ShownProgress progress(directory);
  AnalysisOptions options = arguments.options;
  options.store = OpenOwnStoreForReading();
  return SliceOfRecording(directory, question, options, progress.callback());
}

int ShowSlice(const CLI::App& command, const SliceArguments& arguments,
              const SliceQuestion& question) {
  // Places that cannot be written are told before the work.
  std::vector<OutputFile> files;
  for (const std::string& path : {arguments.json, arguments.dot, arguments.perfetto}) {
    if (path.empty()) continue;
    auto file = OutputFile::Open(path);
    if (!file.ok()) return Fail(file.status());
    files.push_back(*std::move(file));
  }
  const auto slice = AskSlice(arguments, arguments.directory, question);
  if (!slice.ok()) return FailSlice(command, slice.status());
  std::string text;
  std::string json;
  if (arguments.diff.empty()) {
    text = SliceText(slice->told, arguments.text);
    json = arguments.json.empty() ? "" : MessageJson(slice->told, JsonShape::kPretty);
  } else {
    SliceQuestion second_question = question;
    if (!arguments.diff_thread.empty()) second_question.thread = arguments.diff_thread;
    if (arguments.has_diff_at) second_question.at_ns = arguments.diff_at_ns;
    const auto second = AskSlice(arguments, arguments.diff, second_question);
    if (!second.ok()) return FailSlice(command, second.status());
    pb::SliceDiff diff;
    *diff.mutable_first() = slice->told;
    *diff.mutable_second() = second->told;
    for (pb::SliceDiffRow& row : DifferenceOf(slice->told, second->told))
      *diff.add_rows() = std::move(row);
    for (pb::SliceNodeDiff& node : TreeDifferenceOf(slice->told, second->told))
      *diff.add_tree() = std::move(node);
    text = SliceDiffText(diff, arguments.text);
    json = arguments.json.empty() ? "" : MessageJson(diff, JsonShape::kPretty);
  }
  if (files.empty()) return PrintOrFail(text);
  size_t next = 0;
  if (!arguments.json.empty()) files[next++].Write(json);
  if (!arguments.dot.empty()) files[next++].Write(SliceDot(slice->told));
  if (!arguments.perfetto.empty()) {
    OutputFile& file = files[next++];
    PerfettoTrace trace([&file](std::string_view bytes) { file.Write(bytes); });
    WritePerfettoSlice(*slice->recording.timeline, slice->slice, arguments.forward, trace);
  }
  const absl::Status written = PlaceTogether(files);
  return written.ok() ? kExitSuccess : Fail(written);
}

// What needs more than parts of a slice, each on its node.
std::string WantsAllNodesAtOnce(const CLI::App& command) {
  for (const char* name : {"--forward", "--critical-path", "--whole", "--phase", "--from", "--to",
                           "--hops", "--network-hops", "--diff", "--dot", "--perfetto"}) {
    if (!command.get_option(name)->empty()) return name;
  }
  return "";
}

int ShowSliceOfNodes(const CLI::App& command, const SliceArguments& arguments,
                     const SliceQuestion& question) {
  if (const std::string option = WantsAllNodesAtOnce(command); !option.empty())
    return FailUsage(command, option +
                                  " needs the recordings of all nodes together: gordian "
                                  "collect, then gordian slice on the folder");
  auto file = OutputFile::Open(arguments.json.empty() ? "-" : arguments.json);
  if (!file.ok()) return Fail(file.status());
  const auto slice = SliceOfSession(arguments.daemons, arguments.directory,
                                    {.thread = question.thread,
                                     .node = question.node,
                                     .at_ns = question.at_ns,
                                     .scope = question.request.scope,
                                     .edge_kinds = question.request.edge_kinds,
                                     .by = question.by});
  if (!slice.ok()) return FailSlice(command, slice.status());
  file->Write(arguments.json.empty() ? NearSliceText(arguments.directory, *slice, arguments.text)
                                     : MessageJson(slice->told, JsonShape::kPretty));
  const absl::Status written = PlaceTogether({&*file, 1});
  return written.ok() ? kExitSuccess : Fail(written);
}

int ShowCriticalPath(const CLI::App& command, const SliceArguments& arguments,
                     const SliceQuestion& question) {
  auto file = OutputFile::Open(arguments.json.empty() ? "-" : arguments.json);
  if (!file.ok()) return Fail(file.status());
  ShownProgress progress(arguments.directory);
  AnalysisOptions options = arguments.options;
  options.store = OpenOwnStoreForReading();
  const auto path =
      CriticalPathOfRecording(arguments.directory, question, options, progress.callback());
  if (!path.ok()) return FailSlice(command, path.status());
  if (arguments.json.empty()) return PrintOrFail(CriticalPathText(*path, kMostPathSteps));
  file->Write(MessageJson(*path, JsonShape::kPretty));
  const absl::Status written = PlaceTogether({&*file, 1});
  return written.ok() ? kExitSuccess : Fail(written);
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

Verb AddSliceVerb(CLI::App& app) {
  const auto arguments = std::make_shared<SliceArguments>();
  CLI::App* command = AddCommand(
      app, "slice", "Tell what a moment of a thread came from, or led to", kSliceExamples);
  AddDirectoryOption(*command, arguments->directory);
  AddDaemonOptions(*command, arguments->daemons);
  command->add_option("--thread", arguments->question.thread, "The thread, by its name or number")
      ->check(NotEmpty("the thread's name"))
      ->type_name("NAME|TID");
  command->add_option("--node", arguments->question.node, "… on this node, of a recording of many")
      ->type_name("NAME")
      ->needs("--thread");
  CLI::Option* at =
      command
          ->add_option("--at", arguments->at_ns,
                       "The moment, counted from the recording's start (12.5s); by default the "
                       "thread's end, or with --forward its beginning")
          ->transform(TimeInNs())
          ->type_name("TIME");
  CLI::Option* forward = command->add_flag("--forward", arguments->forward,
                                           "What it led to, instead of what it came from");
  command->add_flag("--backward", arguments->backward, "What it came from (the default)")
      ->excludes(forward);
  CLI::Option* path = command->add_flag(
      "--critical-path", arguments->critical_path,
      "Instead: the one path back from the end of the thread, or of the recording's target");
  command
      ->add_flag("--whole", arguments->question.whole,
                 "Instead: the critical path of all that was recorded, not of the target alone")
      ->excludes("--thread");
  CLI::Option* phase =
      command
          ->add_option("--phase", arguments->question.phase,
                       "Instead of a moment: this phase that the program tells, of --thread or of "
                       "any")
          ->check(NotEmpty("the phase's name"))
          ->type_name("NAME")
          ->excludes("--whole");
  command
      ->add_option("--occurrence", arguments->occurrence,
                   "Which of the phases of that name: longest, first, or its number")
      ->type_name("WHICH")
      ->capture_default_str()
      ->needs(phase);
  AddTimeRangeOptions(*command, arguments->question.range);
  AddPathOptions(*command, *arguments);
  AddSliceOutputs(*command, *arguments);
  for (const char* name : {"--at", "--forward", "--scope", "--hops", "--network-hops", "--edges",
                           "--by", "--diff", "--dot", "--perfetto"}) {
    path->excludes(command->get_option(name));
    command->get_option("--whole")->excludes(command->get_option(name));
  }
  for (const char* name : {"--at", "--diff-at"}) phase->excludes(command->get_option(name));
  command->get_option("--diff")->excludes(command->get_option("--dot"));
  command->get_option("--diff")->excludes(command->get_option("--perfetto"));
  command->add_option("--threads", arguments->options.threads, "Threads to work with")
      ->check(WholeNumber(1, 1024))
      ->type_name("N");
  return {command, [arguments, command, at] {
            arguments->has_diff_at = !command->get_option("--diff-at")->empty();
            SliceQuestion question = QuestionOf(*arguments, !at->empty());
            const auto number = NumberOfOccurrence(arguments->occurrence);
            if (!number)
              return FailUsage(*command, "--occurrence is longest, first, or a number from 1 on");
            question.phase_number = *number;
            const bool is_folder_alone = arguments->critical_path || question.whole;
            if (arguments->daemons.is_of_nodes() && (is_folder_alone || question.thread.empty()))
              return FailUsage(*command, "of nodes that are asked, name the thread: --thread");
            if (is_folder_alone) return ShowCriticalPath(*command, *arguments, question);
            if (arguments->daemons.is_of_nodes() && !question.thread.empty())
              return ShowSliceOfNodes(*command, *arguments, question);
            if (question.thread.empty() && question.phase.empty())
              return FailUsage(*command,
                               "name the thread: --thread, or --phase, or ask for --critical-path");
            if (arguments->perfetto == "-")
              return FailUsage(*command, "--perfetto is binary; name a file");
            return ShowSlice(*command, *arguments, question);
          }};
}

}  // namespace gordian
