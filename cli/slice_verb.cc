// SPDX-License-Identifier: Apache-2.0
// gordian slice: what a moment of a thread came from, or led to.
#include <memory>
#include <string>
#include <vector>

#include "analysis/recorded_slice.h"
#include "cli/analysis_progress.h"
#include "cli/ask_daemons.h"
#include "cli/near_slice_run.h"
#include "cli/own_store.h"
#include "cli/slice_arguments.h"
#include "cli/verbs.h"
#include "output/message_json.h"

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

absl::Status AskAndWrite(const SliceArguments& arguments, const SliceQuestion& question,
                         std::vector<OutputFile>& files) {
  if (AsksForCriticalPath(arguments)) {
    ShownProgress progress(arguments.directory);
    AnalysisOptions options = arguments.options;
    options.store = OpenOwnStoreForReading();
    const auto path =
        CriticalPathOfRecording(arguments.directory, question, options, progress.callback());
    return path.ok() ? WriteCriticalPath(arguments, *path, files) : path.status();
  }
  const auto slice = AskSlice(arguments, arguments.directory, question);
  if (!slice.ok()) return slice.status();
  if (arguments.diff.empty()) return WriteSlice(arguments, *slice, files);
  SliceQuestion second_question = question;
  if (!arguments.diff_thread.empty()) second_question.thread = arguments.diff_thread;
  if (arguments.has_diff_at) second_question.at_ns = arguments.diff_at_ns;
  const auto second = AskSlice(arguments, arguments.diff, second_question);
  if (!second.ok()) return second.status();
  return WriteSliceDiff(arguments, slice->told, second->told, files);
}

// What needs more than parts of a slice, each on its node.
std::string WantsAllNodesAtOnce(const CLI::App& command) {
  for (const char* name : {"--forward", "--critical-path", "--whole", "--phase", "--from", "--to",
                           "--hops", "--network-hops", "--diff", "--dot", "--perfetto"}) {
    if (!command.get_option(name)->empty()) return name;
  }
  return "";
}

absl::Status AskNodesAndWrite(const DaemonChoice& daemons, const SliceArguments& arguments,
                              const SliceQuestion& question, std::vector<OutputFile>& files) {
  const auto slice = SliceOfSession(daemons, arguments.directory,
                                    {.thread = question.thread,
                                     .node = question.node,
                                     .at_ns = question.at_ns,
                                     .scope = question.request.scope,
                                     .edge_kinds = question.request.edge_kinds,
                                     .by = question.by});
  if (!slice.ok()) return slice.status();
  files.front().Write(arguments.json.empty()
                          ? NearSliceText(arguments.directory, *slice, arguments.text)
                          : MessageJson(slice->told, JsonShape::kPretty));
  return PlaceTogether(files);
}

int AskNodes(const CLI::App& command, const DaemonChoice& daemons,
             const SliceArguments& arguments) {
  if (const std::string option = WantsAllNodesAtOnce(command); !option.empty())
    return FailUsage(command, option +
                                  " needs the recordings of all nodes together: gordian "
                                  "collect, then gordian slice on the folder");
  if (arguments.question.thread.empty())
    return FailUsage(command, "of nodes that are asked, name the thread: --thread");
  const auto question = SliceQuestionOf(command, arguments);
  if (!question.ok()) return FailSlice(command, question.status());
  auto files = OpenSliceOutputs(arguments);
  if (!files.ok()) return Fail(files.status());
  const absl::Status written = AskNodesAndWrite(daemons, arguments, *question, *files);
  return written.ok() ? kExitSuccess : FailSlice(command, written);
}

}  // namespace

Verb AddSliceVerb(CLI::App& app) {
  const auto arguments = std::make_shared<SliceArguments>();
  CLI::App* command = AddCommand(
      app, "slice", "Tell what a moment of a thread came from, or led to", kSliceExamples);
  AddSliceOptions(*command, *arguments);
  const auto daemons = std::make_shared<DaemonChoice>();
  AddDaemonOptions(*command, *daemons);
  return {command, [arguments, command, daemons] {
            if (daemons->is_of_nodes()) return AskNodes(*command, *daemons, *arguments);
            arguments->has_diff_at = !command->get_option("--diff-at")->empty();
            const auto question = SliceQuestionOf(*command, *arguments);
            if (!question.ok()) return FailSlice(*command, question.status());
            auto files = OpenSliceOutputs(*arguments);
            if (!files.ok()) return Fail(files.status());
            const absl::Status written = AskAndWrite(*arguments, *question, *files);
            return written.ok() ? kExitSuccess : FailSlice(*command, written);
          }};
}

}  // namespace gordian
