// SPDX-License-Identifier: Apache-2.0
// gordian-mpi phases: ranks settle the nodes and sweep the graph, rank 0 tells the job's phases.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/phases_arguments.h"
#include "jobs/report/job_thresholds.h"
#include "mpi/rank_program.h"
#include "mpi/rank_slice.h"
#include "output/phase_text.h"

namespace gordian {
namespace {

constexpr char kRankPhasesExamples[] =
    "srun gordian-mpi phases trace --html job.html\n"
    "mpirun -n 8 gordian-mpi phases trace --log app.log --model mine.yaml";

struct RankPhasesArguments : PhasesArguments {
  RankArguments ranks;
};

int RunPhases(const CLI::App& command, const RankPhasesArguments& arguments) {
  std::optional<ReportOutputs> outputs;
  RankQuestion question{.directory = arguments.job.inputs.session_directory,
                        .options = arguments.analysis};
  question.prepare = [&](RankRequest& request) {
    if (question.directory.empty())
      return absl::InvalidArgumentError(
          "name a recording: of logs alone gordian phases tells, in one process");
    if (arguments.tree || arguments.validate)
      return absl::InvalidArgumentError("gordian phases has --tree and --validate, in one process");
    if (const std::string conflict = OutputConflict(arguments.outputs); !conflict.empty())
      return absl::InvalidArgumentError(conflict);
    auto opened = ReportOutputs::Open(arguments.outputs);
    if (!opened.ok()) return opened.status();
    request.needs_events = opened->AnyNeeds(OutputNeed::kPage);
    request.analysis.job = arguments.job;
    outputs.emplace(*std::move(opened));
    return absl::OkStatus();
  };
  question.ask = [&](const RankWork& work, const RankRequest& request) {
    const auto analysis = PhasesOnRanks(work, request.analysis);
    if (analysis.ok()) return outputs->Write(*analysis);
    // Of logs that do not fit, say: the command line itself is well.
    return absl::IsInvalidArgument(analysis.status())
               ? absl::FailedPreconditionError(analysis.status().message())
               : analysis.status();
  };
  return RunOnRanks(command, arguments.ranks, question);
}

}  // namespace

Verb AddRankPhases(CLI::App& app) {
  const auto arguments = std::make_shared<RankPhasesArguments>();
  CLI::App* command = AddCommand(
      app, "phases", "Tell which phase of a job is limited by which resource, with all ranks",
      kRankPhasesExamples);
  AddRankOptions(*command, arguments->ranks);
  AddPhasesOptions(*command, *arguments);
  return {command, [command, arguments] {
            if (arguments->list_thresholds) {
              const absl::Status printed = PrintText(JobThresholdText());
              return printed.ok() ? kExitSuccess : Fail(printed);
            }
            return RunPhases(*command, *arguments);
          }};
}

}  // namespace gordian
