// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_program.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/build_commit.h"
#include "base/parallel.h"
#include "mpi/end_teller.h"
#include "mpi/open_mpi_wire.h"
#include "mpi/ranks.h"
#include "mpi/work_folder.h"
#include "trace/own_folder.h"

namespace gordian {
namespace {

// Of a rank, which is to take 256 MB at most. A quarter is for columns in plain memory, one for
// pages of files (ColumnsWithin), and one of the timeline's and one of the senders' may be there at
// once. The program's code takes some 40 MB, and a unit's tables the rest.
constexpr uint64_t kMostColumnBytes = uint64_t{64} << 20;

void TellLine(const std::string& line) {
  std::cerr << absl::StrCat("gordian-mpi: ", line, "\n") << std::flush;
}

std::string DefaultWorkFolder() {
  const std::string caches = CacheFolder();
  return caches.empty() ? std::string() : caches + "/ranks";
}

RankRequest RequestOf(const RankArguments& arguments, const RankQuestion& question) {
  RankRequest request{.program = VersionText("gordian-mpi " GORDIAN_VERSION),
                      .directory = question.directory,
                      .analysis = question.options};
  request.unit_memory = question.options.memory;
  request.unit_memory.bytes = std::min(request.unit_memory.bytes, kMostColumnBytes);
  request.analysis.memory = request.unit_memory;
  request.note = TellLine;
  const int ranks_here = RanksOfThisMachine();
  request.unit_threads = question.options.threads;
  if (request.unit_threads == 0) request.unit_threads = std::max(1, ThreadCount(0) / ranks_here);
  // Between units the others wait for rank 0, which may have their CPUs.
  request.analysis.threads = request.unit_threads * ranks_here;
  if (arguments.tell_units) request.crew.tell = TellLine;
  return request;
}

// Of rank 0. `is_usage`: the command line is at fault.
absl::Status AskAsRankZero(Ranks& ranks, absl::StatusOr<WorkFolder> folder,
                           const RankArguments& arguments, const RankQuestion& question,
                           bool& is_usage) {
  RankRequest request = RequestOf(arguments, question);
  const absl::Status prepared = question.prepare ? question.prepare(request) : absl::OkStatus();
  is_usage = absl::IsInvalidArgument(prepared);
  // Then the others are let go at once.
  if (!prepared.ok()) folder = prepared;
  return AskOnRanks(ranks, folder, request, [&](const RankWork& work) {
    absl::Status asked = question.ask(work, request);
    is_usage = absl::IsInvalidArgument(asked);
    return asked;
  });
}

}  // namespace

void AddRankOptions(CLI::App& command, RankArguments& arguments) {
  arguments.work_folder = DefaultWorkFolder();
  command
      .add_option("--work", arguments.work_folder,
                  "Where units of work are kept until the next run, on a disk of each machine")
      ->type_name("FOLDER")
      ->capture_default_str();
  command
      .add_option("--silence", arguments.silence_s,
                  "Give up when a rank has been silent for so many seconds")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command.add_flag("--tell-units", arguments.tell_units,
                   "A line for each unit that is begun, made, or found");
}

int RunOnRanks(const CLI::App& command, const RankArguments& arguments,
               const RankQuestion& question) {
  // As mpirun and srun tell it: a rank may die before MPI has begun.
  EndTeller end_teller;
  const char* const told_rank = std::getenv("PMIX_RANK");
  if (told_rank != nullptr && std::string_view(told_rank) == "0") end_teller.Begin();
  auto wire = OpenMpiWire();
  if (!wire.ok()) return Fail(wire.status());
  const bool is_rank_zero = (*wire)->rank() == 0;
  absl::Status status;
  bool is_usage = false;
  {
    Ranks ranks(*std::move(wire), {.silence_limit = std::chrono::seconds(arguments.silence_s)});
    auto folder = WorkFolder::Open(arguments.work_folder, question.options.threads);
    status = is_rank_zero ? AskAsRankZero(ranks, std::move(folder), arguments, question, is_usage)
                          : ServeRankZero(ranks, folder, RequestOf(arguments, question));
    if (arguments.tell_units && status.ok())
      std::cerr << absl::StrCat("gordian-mpi: rank ", ranks.rank(), " sent ", ranks.sent().messages,
                                " messages of ", ranks.sent().bytes, " bytes\n")
                << std::flush;
  }
  end_teller.EverythingIsTold();  // or is, by the lines below
  // A rank that is gone never comes to the common end.
  const bool is_alone_now = absl::IsDeadlineExceeded(status) || absl::IsUnavailable(status);
  int exit_code = status.ok() || !is_rank_zero ? kExitSuccess : kExitFailure;
  if (is_usage && is_rank_zero) {
    exit_code = FailUsage(command, MessageOf(status));
  } else if (!status.ok() && (is_rank_zero || is_alone_now)) {
    std::cerr << absl::StrCat("gordian-mpi: ", MessageOf(status), "\n") << std::flush;
  }
  if (is_alone_now) AbortMpi(kExitFailure);
  EndMpi();
  return exit_code;
}

}  // namespace gordian
