// SPDX-License-Identifier: Apache-2.0
#include "analysis/let_through_findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/ranking.h"
#include "report/finding_threads.h"
#include "report/limits.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// As many tell how the server works through them.
constexpr size_t kRequestsLookedAt = 200;
// What they wait for meanwhile is not known.
constexpr double kConfidenceOfWays = 0.7;

bool KeepsRequests(const LetThrough& let_through) {
  return let_through.kept_share >= kMostOfTheTime &&
         let_through.full_while_kept_share >= kMostOfTheTime;
}

// Many threads, and fewer requests than threads under way: they stand in line for the way.
bool ThreadsShareTheWay(const LetThrough& let_through) {
  return let_through.kept == 0 && let_through.full_share >= kMostOfTheTime &&
         let_through.askers.size() > let_through.most;
}

std::set<uint32_t> VerticesOf(const std::vector<EntityId>& threads,
                              const std::vector<uint32_t>& vertex_of_entity) {
  std::set<uint32_t> vertices;
  for (const EntityId thread : threads) vertices.insert(vertex_of_entity[thread]);
  return vertices;
}

bool SendsMore(const pb::NaturalFix& fix) {
  return fix.has_who() && (fix.change() == "in-flight" || fix.change() == "add-thread");
}

// It is about them: they are its members, wait in its wait, or would have to ask for more.
bool Touches(const pb::Finding& finding, const std::set<uint32_t>& vertices) {
  std::vector<uint32_t> touched = MembersAndWaiterOf(finding);
  for (const pb::NaturalFix& fix : finding.natural_fixes())
    if (SendsMore(fix)) touched.push_back(fix.who());
  return std::any_of(touched.begin(), touched.end(),
                     [&](uint32_t vertex) { return vertices.contains(vertex); });
}

// The vertex with most of the threads that ask; of processes that end with their answer, who begins
// them.
uint32_t MainAsker(const LetThrough& let_through, const std::vector<uint32_t>& vertex_of_entity) {
  if (let_through.beginner != kNobody) return vertex_of_entity[let_through.beginner];
  std::map<uint32_t, size_t> threads;
  for (const EntityId asker : let_through.askers) ++threads[vertex_of_entity[asker]];
  return std::max_element(threads.begin(), threads.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Each thread of these has one request under way: threads are what bounds them.
bool AreBoundByThreads(const LetThrough& let_through, const std::set<uint32_t>& about,
                       const pb::Finding& finding) {
  return let_through.askers.size() == let_through.most &&
         std::any_of(finding.natural_fixes().begin(), finding.natural_fixes().end(),
                     [&](const pb::NaturalFix& fix) {
                       return fix.change() == "add-thread" && about.contains(fix.who());
                     });
}

// The fix lets all through that wait. What the finding knew of before is tried behind it.
void AskForAllThatWait(const LetThrough& let_through, uint32_t asker,
                       const std::set<uint32_t>& about, const pb::Report& report,
                       pb::Finding& finding) {
  // gordian whatif takes whole numbers. More than come in are never under way.
  const double times = std::ceil(static_cast<double>(let_through.kept + let_through.most) /
                                 static_cast<double>(let_through.most));
  pb::NaturalFix first;
  first.set_change("in-flight");
  first.set_who(asker);
  first.set_amount(times);
  if (AreBoundByThreads(let_through, about, finding)) {
    const auto threads =
        static_cast<double>(std::max(1, report.vertices(static_cast<int>(asker)).members_size()));
    first.set_change("add-thread");
    first.set_amount((times - 1) * threads);
    first.set_of_wait(true);
  }
  std::vector<pb::NaturalFix> fixes = {std::move(first)};
  for (const pb::NaturalFix& fix : finding.natural_fixes()) {
    if (!SendsMore(fix) || !about.contains(fix.who())) fixes.push_back(fix);
  }
  finding.mutable_natural_fixes()->Assign(fixes.begin(), fixes.end());
  finding.clear_no_natural_fix_because();
}

// As many as there are threads that ask.
void AskForAllThreads(const LetThrough& let_through, uint32_t asker,
                      const std::set<uint32_t>& about, pb::Finding& finding) {
  for (pb::NaturalFix& fix : *finding.mutable_natural_fixes()) {
    if (fix.change() != "in-flight") continue;
    if (!about.contains(fix.who())) fix.set_who(asker);
    fix.set_amount(std::ceil(static_cast<double>(let_through.askers.size()) /
                             static_cast<double>(let_through.most)));
  }
}

// The share of these requests' time in which their server's thread worked on others.
double ShareBehindOthers(const FoundRequests& found, const RequestWalk& walk,
                         const LetThrough& let_through) {
  std::vector<const Request*> asked;
  for (const auto* requests : {&found.requests, &found.others}) {
    for (const Request& request : *requests) {
      if (request.connection == kNoConnection || request.thread == kNobody) continue;
      const uint16_t port = found.connections[request.connection].to_server.destination_port;
      if (std::binary_search(let_through.ports.begin(), let_through.ports.end(), port) &&
          std::binary_search(let_through.askers.begin(), let_through.askers.end(), request.client))
        asked.push_back(&request);
    }
  }
  const size_t stride = std::max<size_t>(1, asked.size() / kRequestsLookedAt);
  uint64_t behind_ns = 0;
  uint64_t all_ns = 0;
  RequestStepCounts counts;
  for (size_t i = 0; i < asked.size(); i += stride) {
    for (const RequestStep& step : walk.StepsOf(*asked[i], counts)) {
      const uint64_t lasts_ns = step.to_ns - step.from_ns;
      all_ns += lasts_ns;
      if (step.kind == RequestStepKind::kBehind) behind_ns += lasts_ns;
    }
  }
  return all_ns == 0 ? 0 : static_cast<double>(behind_ns) / static_cast<double>(all_ns);
}

std::string ServerText(const FoundRequests& found, const LetThrough& let_through) {
  const std::string name = CleanText(let_through.server);
  std::string place;
  if (let_through.ports.size() == 1) {
    const auto local = found.local_services.find(let_through.ports.front());
    place = local != found.local_services.end() ? CleanText(local->second)
                                                : absl::StrCat("port ", let_through.ports.front());
  }
  if (name.empty()) return place.empty() ? "a server" : place;
  return place.empty() ? name : absl::StrCat(name, " (", place, ")");
}

void Keep(const FoundRequests& found, const LetThrough& let_through, pb::Finding& finding) {
  pb::RequestsLetThrough& kept = *finding.mutable_let_through();
  kept.set_program(CleanText(let_through.program));
  kept.set_server(ServerText(found, let_through));
  kept.set_requests(let_through.requests);
  kept.set_at_once(let_through.most);
  kept.set_full_share(let_through.full_share);
  kept.set_kept(let_through.kept);
}

void TellKept(const FoundRequests& found, const LetThrough& let_through, pb::Finding& finding,
              pb::Report& report) {
  const std::string program = CleanText(let_through.program);
  const std::string server = ServerText(found, let_through);
  const bool is_one = let_through.most == 1;
  const std::string at_once = FormatCount(let_through.most, "request");
  const std::string owner = CleanText(let_through.works_for);
  SetTitle(absl::StrCat(program, " is the limit: it lets ", at_once, " at a time through to ",
                        server, ", while up to ", let_through.kept,
                        owner.empty() ? " wait in it." : absl::StrCat(" of ", owner, " wait.")),
           finding, report);
  PutFirst(absl::StrCat(
               "More than ", at_once, " of ", owner.empty() ? "its own clients " : "the clients ",
               is_one ? "is" : "are", " open in ", owner.empty() ? program : owner, " for ",
               PercentText(let_through.kept_share), " of the time. In ",
               PercentText(let_through.full_while_kept_share), " of that time ", let_through.most,
               is_one ? " is" : " are", " under way to ", server, ", and hardly ever more."),
           *finding.mutable_why());
  finding.clear_advice();
  if (let_through.beginner != kNobody)
    finding.add_advice(absl::StrCat(program,
                                    " is started for each request: start several at a "
                                    "time, without waiting for the end of the one before, or ask ",
                                    server, " without it."));
  finding.add_advice(absl::StrCat(
      "Raise what bounds ", program, "'s requests to ", server,
      ": a pool of connections, threads or processes, a limit of requests under way, or of their "
      "rate. If a lock "
      "is held around the call, or an event loop waits for each answer, let others go on "
      "meanwhile."));
  Keep(found, let_through, finding);
}

void TellShared(const FoundRequests& found, const LetThrough& let_through, pb::Finding& finding,
                pb::Report& report) {
  const std::string server = ServerText(found, let_through);
  AddToTitle(", and ",
             absl::StrCat("they have ", FormatCount(let_through.most, "request"),
                          " at a time under way to ", server),
             finding, report);
  PutFirst(absl::StrCat(let_through.askers.size(), " threads of ", CleanText(let_through.program),
                        " ask ", server, ", ", let_through.most, " at a time: so it is for ",
                        PercentText(let_through.full_share),
                        " of the time, and hardly ever are there more."),
           *finding.mutable_why());
  PutFirst(
      "Give them more ways to ask: more connections, or a call that holds no lock until its "
      "answer comes.",
      *finding.mutable_advice());
  Keep(found, let_through, finding);
}

// Whether the finding is about somebody's wait for this server's answers.
bool IsAboutTheWay(const LetThrough& way, const std::vector<uint32_t>& vertex_of_entity,
                   const pb::Finding& finding) {
  return Touches(finding, VerticesOf(way.askers, vertex_of_entity)) &&
         Touches(finding, VerticesOf(way.servers, vertex_of_entity));
}

bool IsReasonOf(const LetThrough& let_through, std::span<const LetThrough> all,
                const std::vector<uint32_t>& vertex_of_entity, const pb::Finding& finding) {
  const bool asks = Touches(finding, VerticesOf(let_through.askers, vertex_of_entity));
  const bool serves = Touches(finding, VerticesOf(let_through.servers, vertex_of_entity));
  if (finding.kind() == "sleep") return KeepsRequests(let_through) && (asks || serves);
  if (finding.kind() != "knot") return false;
  if (asks) return KeepsRequests(let_through) || (ThreadsShareTheWay(let_through) && !serves);
  // A knot among the server's own threads has another reason. But if they wait for a server that
  // they ask, there are too few of them.
  return serves && KeepsRequests(let_through) &&
         std::any_of(all.begin(), all.end(), [&](const LetThrough& next) {
           return next.program == let_through.server &&
                  IsAboutTheWay(next, vertex_of_entity, finding);
         });
}

bool MayHideAFullWay(const pb::Finding& finding) {
  return finding.kind() == "knot" && !finding.apart() && !finding.has_let_through();
}

bool IsFull(const LetThrough& way) {
  return way.kept == 0 && way.on_average >= kNearlyAll * static_cast<double>(way.most);
}

bool AreMostlyIdle(const std::set<uint32_t>& vertices, const pb::Report& report) {
  double active_s = 0;
  double all_s = 0;
  for (const uint32_t id : vertices) {
    const pb::ReportVertex& vertex = report.vertices(static_cast<int>(id));
    active_s += vertex.run_s() + vertex.runnable_s();
    all_s += vertex.run_s() + vertex.runnable_s() + vertex.wait_s();
  }
  return active_s < kMostOfTheTime * all_s || vertices.empty();
}

void AskForTimes(double times, uint32_t asker, pb::Finding& finding) {
  std::vector<pb::NaturalFix> fixes(1);
  fixes[0].set_change("in-flight");
  fixes[0].set_who(asker);
  fixes[0].set_amount(times);
  fixes[0].set_of_wait(true);
  for (const pb::NaturalFix& fix : finding.natural_fixes())
    if (!SendsMore(fix)) fixes.push_back(fix);
  finding.mutable_natural_fixes()->Assign(fixes.begin(), fixes.end());
  finding.clear_no_natural_fix_because();
}

// A thread that waits for its answer shows in the graph who is waited for. Here threads have
// several requests under way each.
void TellFull(const FoundRequests& found, const LetThrough& way, pb::Finding& finding,
              pb::Report& report) {
  SetTitle(absl::StrCat(
               CleanText(way.program), " is the limit: it has ", FormatCount(way.most, "request"),
               " at a time under way to ", ServerText(found, way),
               absl::StrFormat(", on average %.3g, and hardly ever more.", way.on_average)),
           finding, report);
  PutFirst(
      "Nearly all the time as many requests are under way as ever. So what its threads do between "
      "two of them, and wait for meanwhile, hardly counts.",
      *finding.mutable_why());
  PutFirst(
      "Ask for more at a time (more connections, tasks or goroutines), or for several things in "
      "one request.",
      *finding.mutable_advice());
}

void TellUnusedConnections(const LetThrough& way, pb::Finding& finding, pb::Report& report) {
  AddToTitle(", and ",
             absl::StrCat(CleanText(way.program), " has ", FormatCount(way.most, "request"),
                          " at a time under way on ", FormatCount(way.connections, "connection")),
             finding, report);
  PutFirst(
      "Let all connections have a request under way: no lock, and no wait for another answer, "
      "around the question.",
      *finding.mutable_advice());
}

}  // namespace

void TellLetThrough(const FoundRequests& found, const RequestWalk& walk,
                    std::span<const LetThrough> let_through,
                    const std::vector<uint32_t>& vertex_of_entity, pb::Report& report) {
  std::set<const LetThrough*> told;  // once, in the finding that weighs most
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (finding.apart()) continue;
    const LetThrough* reason = nullptr;
    for (const LetThrough& some : let_through) {
      if (!IsReasonOf(some, let_through, vertex_of_entity, finding)) continue;
      if (reason == nullptr || some.kept > reason->kept) reason = &some;
    }
    if (reason == nullptr || told.contains(reason) ||
        ShareBehindOthers(found, walk, *reason) >= kMostOfTheTime)
      continue;
    told.insert(reason);
    const bool keeps = KeepsRequests(*reason);
    const uint32_t asker = MainAsker(*reason, vertex_of_entity);
    std::set<uint32_t> about = VerticesOf(reason->askers, vertex_of_entity);
    about.merge(VerticesOf(reason->servers, vertex_of_entity));
    if (keeps)
      AskForAllThatWait(*reason, asker, about, report, finding);
    else
      AskForAllThreads(*reason, asker, about, finding);
    if (keeps)
      TellKept(found, *reason, finding, report);
    else
      TellShared(found, *reason, finding, report);
  }
}

void TellNarrowWay(const FoundRequests& found, std::span<const LetThrough> let_through,
                   const std::vector<uint32_t>& vertex_of_entity, pb::Report& report) {
  if (FirstLimit(report) != nullptr) return;
  const LetThrough* narrowest = nullptr;
  for (const LetThrough& some : let_through) {
    const auto asker = static_cast<int>(MainAsker(some, vertex_of_entity));
    if (!report.vertices(asker).target() || !ThreadsShareTheWay(some)) continue;
    if (narrowest == nullptr || some.full_share > narrowest->full_share) narrowest = &some;
  }
  if (narrowest == nullptr) return;
  const uint32_t asker = MainAsker(*narrowest, vertex_of_entity);
  const std::string program = CleanText(narrowest->program);
  const std::string server = ServerText(found, *narrowest);
  const std::string at_once = FormatCount(narrowest->most, "request");
  const auto times =
      static_cast<double>(narrowest->askers.size()) / static_cast<double>(narrowest->most);
  Finding finding{.kind = FindingKind::kKnot,
                  .members = {asker},
                  .share = narrowest->full_share,
                  .upper_bound_gain = times,
                  .confidence = kConfidenceOfWays};
  finding.title =
      absl::StrCat(program, " is the limit: ", narrowest->askers.size(), " of its threads ask ",
                   server, ", and have ", at_once, " at a time under way.");
  finding.why.push_back(absl::StrCat("It is so for ", PercentText(narrowest->full_share),
                                     " of the time. More are hardly ever under way."));
  finding.advice.emplace_back(
      "They wait for each other meanwhile: for a lock that one holds while it asks (also a row or "
      "a "
      "transaction of a database), or for a connection. Ask before the lock is taken, or give them "
      "more connections.");
  // More connections gain nothing while a lock is held around the question.
  finding.natural_fixes.none_because = "nothing shows what they wait for meanwhile";
  WriteFinding(finding, report);
  Keep(found, *narrowest, *report.mutable_findings(report.findings_size() - 1));
  RankFindings(report);
}

void TellFullWay(const FoundRequests& found, std::span<const LetThrough> let_through,
                 const std::vector<uint32_t>& vertex_of_entity, pb::Report& report) {
  const auto limit =
      std::find_if(report.mutable_findings()->begin(), report.mutable_findings()->end(), IsLimit);
  if (limit == report.mutable_findings()->end() || !MayHideAFullWay(*limit)) return;
  const LetThrough* fullest = nullptr;
  for (const LetThrough& some : let_through) {
    if (!IsFull(some) || !Touches(*limit, VerticesOf(some.askers, vertex_of_entity)) ||
        !AreMostlyIdle(VerticesOf(some.servers, vertex_of_entity), report))
      continue;
    const bool fits = limit->outside().empty()
                          ? some.askers.size() < some.most
                          : some.connections > some.most &&
                                Touches(*limit, VerticesOf(some.servers, vertex_of_entity));
    if (fits && (fullest == nullptr || some.on_average > fullest->on_average)) fullest = &some;
  }
  if (fullest == nullptr) return;
  const uint32_t asker = MainAsker(*fullest, vertex_of_entity);
  if (limit->outside().empty()) {
    TellFull(found, *fullest, *limit, report);
    AskForTimes(2, asker, *limit);
  } else {
    TellUnusedConnections(*fullest, *limit, report);
    AskForTimes(
        std::ceil(static_cast<double>(fullest->connections) / static_cast<double>(fullest->most)),
        asker, *limit);
  }
  Keep(found, *fullest, *limit);
}

size_t AskersOf(const pb::RequestsLetThrough& told, std::span<const LetThrough> let_through) {
  for (const LetThrough& way : let_through) {
    if (CleanText(way.program) == told.program() && way.requests == told.requests() &&
        way.most == told.at_once() && way.kept == told.kept())
      return way.askers.size();
  }
  return 0;
}

}  // namespace gordian
