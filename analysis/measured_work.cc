// SPDX-License-Identifier: Apache-2.0
#include "analysis/measured_work.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analysis/load_range.h"
#include "analysis/recorded_flows.h"
#include "analysis/token_turns.h"
#include "analysis/told_counts.h"
#include "gate/parts.h"
#include "requests/requests.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

// The names of what programs of a recording count, of all its nodes.
std::set<std::string> CountsOf(const Analysis& analysis) {
  std::set<std::string> names;
  // Times of several nodes' files are not those of the timeline, but only names are wanted.
  for (const std::string& directory : analysis.recording().directories) {
    const auto session = SessionReader::Open(directory);
    if (!session.ok()) continue;
    for (const auto& [name, times_ns] : ReadToldCounts(analysis.timeline(), **session).counts)
      if (!times_ns.empty()) names.insert(name);
  }
  return names;
}

std::string ServerOf(const Timeline& timeline, const std::map<EntityId, uint64_t>& answers) {
  std::map<std::string, uint64_t> by_name;
  for (const auto& [thread, count] : answers) {
    const Entity& entity = timeline.entities()[thread];
    by_name[entity.process_name.empty() ? entity.name : entity.process_name] += count;
  }
  std::string server;
  uint64_t most = 0;
  for (const auto& [name, count] : by_name) {
    if (count <= most) continue;
    most = count;
    server = name;
  }
  return server;
}

}  // namespace

MeasuredWork MeasureRequests(const Analysis& analysis) {
  const Timeline& timeline = analysis.timeline();
  const std::vector<FlowTable> flows = ReadFlows(analysis.recording(), analysis.threads());
  const auto find_within = [&](const TimeRange& range) {
    return FindRequests(
        timeline, flows,
        {.from_ns = range.from_ns, .to_ns = range.to_ns, .threads = analysis.threads()});
  };
  FoundRequests found = find_within(analysis.range());
  // As the prediction is.
  const TimeRange range = RangeOfLoad(timeline, found, analysis.TargetThreads(), analysis.range());
  if (range != analysis.range()) found = find_within(range);
  const RequestWalk walk(timeline, found);
  const std::vector<uint32_t>& vertices = analysis.merged_graph().vertex_of_entity;
  const TokenTurns root =
      range == analysis.range()
          ? TurnsOfRoot(timeline, found, walk, vertices)
          : TurnsOfRoot(timeline.Excerpt(range.from_ns, range.to_ns), found, walk, vertices);
  MeasuredWork work;
  if (root.port == 0) return work;
  work.port = root.port;
  work.what = absl::StrCat("requests of ", root.service);
  work.clients = root.population;
  work.closed_share = root.closed_share;
  std::vector<uint64_t> answers_ns;
  std::map<EntityId, uint64_t> answers;
  for (const Request& request : found.requests) {
    if (request.connection == kNoConnection ||
        found.connections[request.connection].to_server.destination_port != root.port)
      continue;
    answers_ns.push_back(request.answer_ns);
    work.response_ns += static_cast<double>(request.latency_ns());
    if (request.thread < timeline.thread_count()) ++answers[request.thread];
  }
  work.events = answers_ns.size();
  if (work.events > 0) work.response_ns /= static_cast<double>(work.events);
  work.several_parts = static_cast<double>(found.counts.in_several_parts) /
                       static_cast<double>(std::max<size_t>(1, found.requests.size()));
  work.rate = RateOf(answers_ns, range);
  work.server = ServerOf(timeline, answers);
  return work;
}

namespace {

// Wakes and disk requests are how the work is done, and a fix may need fewer of them for the same.
bool CountsWork(const std::string& progress) {
  return !absl::StartsWith(progress, "wakes ") && progress != "io" &&
         !absl::StartsWith(progress, "io ");
}

}  // namespace

absl::StatusOr<MeasuredWork> MeasureProgress(const Analysis& analysis,
                                             const std::string& progress) {
  const auto times = analysis.TimesOf(progress);
  if (!times.ok()) return times.status();
  return MeasuredWork{.what = times->what,
                      .rate = RateOf(times->times_ns, analysis.range()),
                      .events = times->times_ns.size(),
                      .counts_work = CountsWork(progress)};
}

absl::StatusOr<MeasuredWork> MeasureCycles(const Analysis& analysis, const std::string& thread) {
  return MeasureProgress(analysis, absl::StrCat("wakes ", thread));
}

std::string CountedByBoth(const Analysis& before, const Analysis& after) {
  const std::set<std::string> of_after = CountsOf(after);
  std::vector<std::string> both;
  for (const std::string& name : CountsOf(before))
    if (of_after.contains(name)) both.push_back(name);
  return both.size() == 1 ? both.front() : "";
}

}  // namespace gordian
