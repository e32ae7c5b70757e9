// SPDX-License-Identifier: Apache-2.0
// gordian-mpi traffic.
#include <memory>
#include <string>

#include "cli/report_outputs.h"
#include "cli/traffic_arguments.h"
#include "mpi/rank_program.h"
#include "mpi/rank_traffic.h"

namespace gordian {
namespace {

constexpr char kRankTrafficExamples[] =
    "srun gordian-mpi traffic run1                   (every process on every node)\n"
    "mpirun -n 8 gordian-mpi traffic run1 --by host --per 1 --json > traffic.json";

struct RankTrafficArguments : TrafficArguments {
  RankArguments ranks;
};

int RunTraffic(const CLI::App& command, const RankTrafficArguments& arguments) {
  RankQuestion question{.directory = arguments.request.directory};
  question.options.threads = arguments.request.threads;
  question.ask = [&](const RankWork& work, const RankRequest&) {
    const auto request = TrafficRequestOf(arguments);
    if (!request.ok()) return request.status();
    const auto traffic = TrafficOnRanks(work, *request);
    if (!traffic.ok()) return traffic.status();
    return PrintText(TrafficAnswer(arguments, *traffic));
  };
  return RunOnRanks(command, arguments.ranks, question);
}

}  // namespace

Verb AddRankTraffic(CLI::App& app) {
  const auto arguments = std::make_shared<RankTrafficArguments>();
  CLI::App* command = AddCommand(app, "traffic", "Tell who sends how much to whom, with all ranks",
                                 kRankTrafficExamples);
  AddRankOptions(*command, arguments->ranks);
  AddTrafficOptions(*command, *arguments);
  return {command, [command, arguments] { return RunTraffic(*command, *arguments); }};
}

}  // namespace gordian
