// SPDX-License-Identifier: Apache-2.0
// gordian-mpi slice: ranks settle the nodes, rank 0 sweeps the joined timeline.
#include <memory>
#include <utility>
#include <vector>

#include "cli/slice_arguments.h"
#include "mpi/rank_program.h"
#include "mpi/rank_slice.h"

namespace gordian {
namespace {

constexpr char kRankSliceExamples[] =
    "srun gordian-mpi slice trace --thread 4711 --node n3 --at 12.5s\n"
    "mpirun -n 8 gordian-mpi slice trace --critical-path";

struct RankSliceArguments : SliceArguments {
  RankArguments ranks;
};

int RunSlice(const CLI::App& command, const RankSliceArguments& arguments) {
  std::vector<OutputFile> files;
  SliceQuestion asked;
  RankQuestion question{.directory = arguments.directory, .options = arguments.options};
  question.prepare = [&](RankRequest&) {
    if (!arguments.diff.empty())
      return absl::InvalidArgumentError(
          "--diff compares two recordings: gordian slice does it in one process");
    auto meant = SliceQuestionOf(command, arguments);
    if (!meant.ok()) return meant.status();
    asked = *std::move(meant);
    auto opened = OpenSliceOutputs(arguments);
    if (!opened.ok()) return opened.status();
    files = *std::move(opened);
    return absl::OkStatus();
  };
  question.ask = [&](const RankWork& work, const RankRequest& request) {
    if (AsksForCriticalPath(arguments)) {
      const auto path = CriticalPathOnRanks(work, asked, request.analysis);
      return path.ok() ? WriteCriticalPath(arguments, *path, files) : path.status();
    }
    const auto slice = SliceOnRanks(work, asked, request.analysis);
    return slice.ok() ? WriteSlice(arguments, *slice, files) : slice.status();
  };
  return RunOnRanks(command, arguments.ranks, question);
}

}  // namespace

Verb AddRankSlice(CLI::App& app) {
  const auto arguments = std::make_shared<RankSliceArguments>();
  CLI::App* command =
      AddCommand(app, "slice", "Tell what a moment of a thread came from, or led to; ranks read",
                 kRankSliceExamples);
  AddRankOptions(*command, arguments->ranks);
  AddSliceOptions(*command, *arguments);
  return {command, [command, arguments] { return RunSlice(*command, *arguments); }};
}

}  // namespace gordian
