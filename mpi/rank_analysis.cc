// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_analysis.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "mpi/rank_sessions.h"
#include "mpi/rank_settling.h"
#include "mpi/rank_sweeping.h"
#include "mpi/unit_results.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

int UnitThreadsOf(const RankRequest& request) {
  return request.unit_threads == 0 ? request.analysis.threads : request.unit_threads;
}

class RankAnalysis {
 public:
  RankAnalysis(Ranks& ranks, const WorkFolder& folder, const RankRequest& request)
      : ranks_(ranks),
        folder_(folder),
        request_(request),
        own_(ranks, folder, UnitThreadsOf(request), request.unit_memory),
        crew_(ranks, own_, request.crew),
        results_(ranks, folder, crew_),
        settling_(results_, request) {}

  absl::Status Run(const std::function<absl::Status(const RankWork& work)>& ask) {
    absl::Status status = crew_.Gather(HelloOf(request_.program, request_.directory, folder_));
    if (status.ok()) status = Ask(ask);
    EndOthers(ranks_);
    return status;
  }

 private:
  absl::Status Ask(const std::function<absl::Status(const RankWork& work)>& ask) {
    auto sessions = SessionsOf(crew_.hellos());
    if (!sessions.ok()) return sessions.status();
    if (const std::string mixed = MixedVersionsOf(*sessions); !mixed.empty() && request_.note)
      request_.note(mixed);
    for (const SeenSession& session : *sessions) {
      if (session.is_carried && request_.needs_events)
        return absl::FailedPreconditionError(absl::StrCat(
            "rank 0 does not see the recording of ", CleanText(session.node),
            ", which this output needs; ask for text and --json only, or collect it first"));
    }
    return ask(WorkOn(*sessions));
  }

  RankWork WorkOn(const std::vector<SeenSession>& sessions) {
    return {.sessions = sessions,
            .ask = [this](const std::vector<DealtUnit>& units) { return crew_.Make(units); },
            .make = [this](const std::vector<DealtUnit>& units,
                           const auto& use) { return MakeAll(units, use); },
            .settle = [this, sessions] { return settling_.Settle(sessions); },
            .sweep = [this](const Waits& waits,
                            const WindowSumOptions& sweep) { return Sweep(waits, sweep); },
            .timeline_unit = [this] { return settling_.TimelineUnit(); },
            .use_waits = [this](const Waits* waits) { own_.Use(waits); },
            .folder = &folder_};
  }

  absl::Status MakeAll(const std::vector<DealtUnit>& units,
                       const std::function<absl::Status(StoredEntry entry)>& use) {
    const auto made = crew_.Make(units);
    if (!made.ok()) return made.status();
    for (size_t i = 0; i < units.size(); ++i) {
      if (absl::Status status = results_.UseResult(units[i], (*made)[i], use); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<WindowSums> Sweep(const Waits& waits, const WindowSumOptions& sweep) {
    const decltype(RankWork::make) make = [this](const auto& units, const auto& use) {
      return MakeAll(units, use);
    };
    return RankSweeping(own_, folder_, settling_.TimelineUnit(), make,
                        ColumnsWithin(request_.unit_memory))
        .Sweep(waits, sweep);
  }

  Ranks& ranks_;
  const WorkFolder& folder_;
  const RankRequest& request_;
  UnitMaker own_;
  Crew crew_;
  UnitResults results_;
  RankSettling settling_;
};

}  // namespace

absl::Status AskOnRanks(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                        const RankRequest& request,
                        const std::function<absl::Status(const RankWork& work)>& ask) {
  if (!folder.ok()) {
    EndOthers(ranks);
    return folder.status();
  }
  ranks.AnswerFetches([&folder](const std::string& fetch) { return folder->Answer(fetch); });
  return RankAnalysis(ranks, *folder, request).Run(ask);
}

absl::StatusOr<Analysis> AnalysisOf(const RankWork& work, LoadedRecording recording,
                                    AnalysisOptions options) {
  options.sweep_elsewhere = work.sweep;
  return Analysis::Run(std::move(recording), options);
}

absl::Status AnalyzeOnRanks(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                            const RankRequest& request,
                            const std::function<absl::Status(const Analysis& analysis)>& use) {
  return AskOnRanks(ranks, folder, request, [&](const RankWork& work) {
    auto recording = work.settle();
    if (!recording.ok()) return recording.status();
    const auto analysis = AnalysisOf(work, *std::move(recording), request.analysis);
    return analysis.ok() ? use(*analysis) : analysis.status();
  });
}

absl::Status ServeRankZero(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                           const RankRequest& request) {
  const pb::RankHello hello = HelloOf(request.program, request.directory, folder);
  if (!folder.ok()) return WorkForRankZero(ranks, nullptr, hello);
  ranks.AnswerFetches([&folder](const std::string& fetch) { return folder->Answer(fetch); });
  UnitMaker own(ranks, *folder, UnitThreadsOf(request), request.unit_memory);
  return WorkForRankZero(ranks, &own, hello);
}

}  // namespace gordian
