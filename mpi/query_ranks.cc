// SPDX-License-Identifier: Apache-2.0
// gordian-mpi query: ranks settle the nodes and sweep the graph, rank 0 answers.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/query_arguments.h"
#include "mpi/rank_program.h"
#include "mpi/rank_slice.h"
#include "query/library.h"

namespace gordian {
namespace {

constexpr char kRankQueryExamples[] =
    "srun gordian-mpi query trace \"SELECT name, wait_ns FROM thread ORDER BY wait_ns DESC LIMIT "
    "10\"\n"
    "mpirun -n 8 gordian-mpi query trace --run top-edges --json edges.json";

struct RankQueryArguments : QueryArguments {
  RankArguments ranks;
};

int RunQuery(const CLI::App& command, const RankQueryArguments& arguments) {
  const auto asked = AskedQueryOf(arguments);
  std::optional<OutputFile> file;
  RankQuestion question{.directory = asked.ok() ? asked->folders.front() : "",
                        .options = arguments.options};
  question.prepare = [&](RankRequest& request) {
    if (!asked.ok()) return asked.status();
    if (asked->folders.size() > 1)
      return absl::InvalidArgumentError(
          "name one recording: gordian query asks two, in one process");
    request.needs_events = MayAskForEvents(asked->sql);
    auto opened = OutputFile::Open(arguments.json.empty() ? "-" : arguments.json);
    if (!opened.ok()) return opened.status();
    file.emplace(*std::move(opened));
    return absl::OkStatus();
  };
  question.ask = [&](const RankWork& work, const RankRequest& request) {
    const absl::Status status =
        QueryOnRanks(work, request.analysis, arguments.limits, [&](QueryDatabase& database) {
          return WriteAnswer(arguments, database, asked->sql, *file);
        });
    // Of SQL that cannot be understood: the command line itself is well.
    return absl::IsInvalidArgument(status) ? absl::FailedPreconditionError(status.message())
                                           : status;
  };
  return RunOnRanks(command, arguments.ranks, question);
}

}  // namespace

Verb AddRankQuery(CLI::App& app) {
  const auto arguments = std::make_shared<RankQueryArguments>();
  CLI::App* command = AddCommand(app, "query", "Ask a recording in SQL; ranks read and sweep it",
                                 kRankQueryExamples);
  AddRankOptions(*command, arguments->ranks);
  AddQueryOptions(*command, *arguments);
  return {command, [command, arguments] {
            if (arguments->schema || arguments->list) {
              std::cout << (arguments->schema ? SchemaText() : SavedQueriesText());
              return kExitSuccess;
            }
            return RunQuery(*command, *arguments);
          }};
}

}  // namespace gordian
