// SPDX-License-Identifier: Apache-2.0
// gordian-mpi participation.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/output_file.h"
#include "cli/participation_arguments.h"
#include "mpi/rank_participation.h"
#include "mpi/rank_program.h"
#include "output/critical_flame.h"
#include "trace/activities/activity_files.h"

namespace gordian {
namespace {

constexpr char kRankParticipationExamples[] =
    "srun gordian-mpi participation trace --window 1s --by vertex\n"
    "mpirun -n 8 gordian-mpi participation trace --comm postgres --window 100ms --json shares.json";

struct RankParticipationArguments : ParticipationArguments {
  RankArguments ranks;
};

absl::Status Write(const ParticipationArguments& arguments, const RecordingParticipation& told,
                   OutputFile& file) {
  file.Write(arguments.flame.empty()
                 ? ParticipationAnswer(arguments, told.answers)
                 : CriticalFlame(told.stacks, told.code, FlameFormatOf(arguments.flame),
                                 arguments.directory, told.recorded_seconds));
  return PlaceTogether({&file, 1});
}

int RunParticipation(const CLI::App& command, const RankParticipationArguments& arguments) {
  std::optional<OutputFile> file;
  RankQuestion question{.directory = arguments.directory, .options = arguments.options};
  question.prepare = [&](RankRequest&) {
    if (absl::Status status = CheckParticipationArguments(command, arguments); !status.ok())
      return status;
    if (arguments.critical_path)
      return absl::InvalidArgumentError(
          "gordian-mpi slice --critical-path tells a recording's path");
    if (IsActivityGraph(arguments.directory))
      return absl::UnimplementedError(
          absl::StrCat(arguments.directory,
                       " is an imported activity graph, which is read once, from its beginning to "
                       "its end: gordian participation does that in one process"));
    const std::string& path = arguments.flame.empty() ? arguments.json : arguments.flame;
    auto opened = OutputFile::Open(path.empty() ? "-" : path);
    if (!opened.ok()) return opened.status();
    file.emplace(*std::move(opened));
    return absl::OkStatus();
  };
  question.ask = [&](const RankWork& work, const RankRequest& request) {
    const auto told = ParticipationOnRanks(work, ParticipationRequestOf(arguments),
                                           request.analysis, !arguments.flame.empty());
    return told.ok() ? Write(arguments, *told, *file) : told.status();
  };
  return RunOnRanks(command, arguments.ranks, question);
}

}  // namespace

Verb AddRankParticipation(CLI::App& app) {
  const auto arguments = std::make_shared<RankParticipationArguments>();
  CLI::App* command =
      AddCommand(app, "participation", "Tell who is how much of the critical paths, with all ranks",
                 kRankParticipationExamples);
  AddRankOptions(*command, arguments->ranks);
  AddParticipationOptions(*command, *arguments);
  return {command, [command, arguments] { return RunParticipation(*command, *arguments); }};
}

}  // namespace gordian
