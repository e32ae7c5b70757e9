// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/load.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/vertex_names.h"
#include "whatif/ask/answer.h"
#include "whatif/ask/change_table.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string LoadDuration(double ns) { return FormatDuration(static_cast<uint64_t>(ns)); }

// A part of the server that may be all busy.
struct Station {
  bool is_cpus = false;
  uint32_t place = 0;  // of seats, or the node
  double busy = 0;
};

// Of each seat's threads and each node's CPUs, at the recorded rate.
std::vector<Station> StationsOf(const TokenModel& model) {
  std::vector<double> held_ns(model.seats.size());
  std::vector<double> run_ns(model.nodes.size());
  for (size_t request = 0; request < model.requests(); ++request) {
    std::map<uint32_t, uint32_t> held;  // seats, how often
    for (const TokenStep& step : model.StepsOf(request)) {
      if (step.deed == TokenDeed::kTake) ++held[step.place];
      if (step.deed == TokenDeed::kGive) {
        held.erase(step.place);
        if (step.place < held_ns.size()) held_ns[step.place] += step.ns;
        continue;
      }
      for (const auto& [place, times] : held)
        if (place < held_ns.size()) held_ns[place] += step.ns;
      if (step.deed == TokenDeed::kRun && step.place < run_ns.size()) run_ns[step.place] += step.ns;
    }
  }
  const double per_ns =
      model.recorded_rate / 1e9 / static_cast<double>(std::max<size_t>(1, model.requests()));
  std::vector<Station> stations;
  for (uint32_t place = 0; place < held_ns.size(); ++place) {
    const TokenSeats& seats = model.seats[place];
    if (seats.is_pool || seats.grows || seats.count == kEndlessSeats ||
        seats.vertex == kNoTokenVertex ||
        std::find(model.askers.begin(), model.askers.end(), seats.vertex) != model.askers.end())
      continue;
    stations.push_back(
        {.place = place,
         .busy = std::min(1.0, held_ns[place] * per_ns / std::max(1u, seats.count))});
  }
  for (uint32_t node = 0; node < run_ns.size(); ++node)
    stations.push_back({.is_cpus = true,
                        .place = node,
                        .busy = std::min(1.0, run_ns[node] * per_ns / model.nodes[node].all)});
  return stations;
}

}  // namespace

void TellRecordedLoad(const TokenModel& model, pb::WhatIf& answer) {
  pb::WhatIfLoad& load = *answer.mutable_load();
  load.set_port(model.port);
  load.set_service(model.service);
  load.set_requests(model.requests());
  load.set_connections(model.population);
  load.set_rate(model.recorded_rate);
  load.set_response_ns(model.recorded_response_ns);
  if (model.recorded_rate > 0)
    load.set_between_ns(1e9 * model.population / model.recorded_rate - model.recorded_response_ns);
}

bool IsOpenLoop(const AnalyzedRecording& recording, const TokenModel& model,
                const pb::WhatIf& answer) {
  if (model.closed_share >= kClosedLoopShare || model.requests() < kFewestTokenRequests)
    return false;
  const VertexNames names(recording.report);
  const auto is_about = [&](const pb::WhatIfChange& change, uint32_t vertex) {
    const std::string& name = names.Name(vertex);
    const auto& all = change.from_all();
    return change.from() == name || change.to() == name ||
           std::find(all.begin(), all.end(), name) != all.end();
  };
  return std::none_of(
      answer.changes().begin(), answer.changes().end(), [&](const pb::WhatIfChange& change) {
        const bool of_clients =
            std::any_of(model.askers.begin(), model.askers.end(),
                        [&](uint32_t asker) { return is_about(change, asker); });
        // Threads that no request comes to go on by themselves.
        const bool of_threads =
            change.kind() == "run" || change.kind() == "timer" || change.kind() == "lock";
        const bool of_others = of_threads && std::none_of(model.seats.begin(), model.seats.end(),
                                                          [&](const TokenSeats& seats) {
                                                            return is_about(change, seats.vertex);
                                                          });
        return of_clients || of_others;
      });
}

void TellUtilisation(const AnalyzedRecording& recording, const TokenModel& model,
                     const Changes& changes, pb::WhatIf& answer) {
  pb::WhatIfLoad& load = *answer.mutable_load();
  load.set_open_loop(true);
  load.set_rate_after(load.rate());
  const std::vector<Station> stations = StationsOf(model);
  const auto busiest =
      std::max_element(stations.begin(), stations.end(),
                       [](const Station& a, const Station& b) { return a.busy < b.busy; });
  std::string verdict = absl::StrCat(
      ChangesText(answer),
      "no more requests, as they come by themselves (an open loop: ", RateText(load.rate()),
      " requests a second, ", LoadDuration(load.response_ns()), " each).");
  if (busiest != stations.end()) {
    const VertexNames names(recording.report);
    load.set_busiest(busiest->is_cpus ? "the CPUs"
                                      : names.Phrase(model.seats[busiest->place].vertex));
    load.set_busy(busiest->busy);
    absl::StrAppend(&verdict, " Most has ", load.busiest(), " to do: it is busy for ",
                    PercentText(load.busy()), " of the time");
    load.set_busy_after(load.busy());
    if (const auto changed = ChangedTokens(model, changes, /*with_path=*/true)) {
      for (const Station& station : StationsOf(*changed))
        if (station.is_cpus == busiest->is_cpus && station.place == busiest->place)
          load.set_busy_after(station.busy);
      absl::StrAppend(&verdict, ", then for ", PercentText(load.busy_after()));
    }
    absl::StrAppend(&verdict, ".");
  }
  answer.set_verdict(verdict);
}

void TellLoadAfter(const Changes& changes, pb::WhatIf& answer) {
  pb::WhatIfLoad& load = *answer.mutable_load();
  if (answer.has_requests()) {
    load.set_rate_after(answer.requests().rate());
    load.set_response_after_ns(answer.requests().response_ns());
    return;
  }
  if (!answer.refusal().empty()) return;
  load.set_rate_after(load.rate() * answer.expected());
  // Others than those who ask now would ask, too; how many is not known.
  if (!changes.more_at_once.empty() || load.between_ns() < 0) return;
  const double response_ns = 1e9 * load.connections() / load.rate_after() - load.between_ns();
  if (response_ns > 0) load.set_response_after_ns(response_ns);
}

}  // namespace gordian
