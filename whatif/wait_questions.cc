// SPDX-License-Identifier: Apache-2.0
#include "whatif/wait_questions.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/fix_change.h"
#include "report/vertex_names.h"

namespace gordian {
namespace {

constexpr int kWaysOfALock = 4;

const pb::ReportVertex* VertexOfId(const pb::Report& report, uint32_t id) {
  const auto found = std::find_if(report.vertices().begin(), report.vertices().end(),
                                  [id](const pb::ReportVertex& its) { return its.id() == id; });
  return found == report.vertices().end() ? nullptr : &*found;
}

const pb::ReportEdge* EdgeOfIds(const pb::Report& report, uint32_t from, uint32_t to) {
  const auto found = std::find_if(
      report.edges().begin(), report.edges().end(),
      [from, to](const pb::ReportEdge& edge) { return edge.from() == from && edge.to() == to; });
  return found == report.edges().end() ? nullptr : &*found;
}

// A finding that has nothing but fixes: QuestionsOf puts them into words.
class PickedFixes {
 public:
  pb::NaturalFix& Add(FixChange change, std::optional<uint32_t> who = {}) {
    pb::NaturalFix& fix = *finding_.add_natural_fixes();
    fix.set_change(FixChangeName(change));
    if (who) fix.set_who(*who);
    return fix;
  }
  void AddWait(FixChange change, uint32_t who, uint32_t whom) {
    pb::NaturalFix& fix = Add(change, who);
    fix.set_whom(whom);
    fix.set_of_wait(true);
  }
  void AddAmount(FixChange change, uint32_t who, double amount) {
    Add(change, who).set_amount(amount);
  }
  FixQuestions Questions(const pb::Report& report, const std::string& none_because) const {
    FixQuestions found = QuestionsOf(report, finding_);
    if (found.questions.empty() && found.none_because.empty()) found.none_because = none_because;
    return found;
  }

 private:
  pb::Finding finding_;
};

// Stacks tell what waits are for. Without any, a lock is as likely as anything else.
bool MayBeALock(const pb::ReportEdge& edge) {
  return edge.reasons().empty() ||
         std::any_of(edge.reasons().begin(), edge.reasons().end(),
                     [](const pb::WaitReason& reason) { return reason.reason() == "futex"; });
}

// No finding proposes it, as the number of ways is for the user to choose.
void AddSplit(FixQuestions& found) {
  const auto lock = std::find_if(
      found.questions.begin(), found.questions.end(),
      [](const FixQuestion& question) { return question.request.changes[0].option == "lock"; });
  if (lock == found.questions.end()) return;
  const std::string text = absl::StrCat(lock->request.changes[0].text, "=", kWaysOfALock);
  FixQuestion split = {.change = absl::StrCat("--split ", ShellQuoted(text)),
                       .condition = absl::StrCat("if that lock were ", kWaysOfALock,
                                                 ", each needed as often as the others"),
                       .advice = {},
                       .request = {.changes = {{"split", text}}, .progress = {}}};
  found.questions.insert(lock + 1, std::move(split));
}

void AddFixesOfDisk(uint32_t disk, PickedFixes& fixes) {
  fixes.AddAmount(FixChange::kScale, disk, 0.5);
  fixes.AddAmount(FixChange::kScale, disk, 0);
}

bool SleepsOnATimer(const pb::Report& report, uint32_t vertex) {
  return std::any_of(report.edges().begin(), report.edges().end(),
                     [&report, vertex](const pb::ReportEdge& edge) {
                       const pb::ReportVertex* to =
                           edge.from() == vertex ? VertexOfId(report, edge.to()) : nullptr;
                       return to != nullptr && to->kind() == "timer";
                     });
}

constexpr char kNothingToPick[] = "the report has no such wait or vertex";
constexpr char kNotReplayed[] = "what was not recorded cannot be replayed";

}  // namespace

FixQuestions QuestionsOfWait(const pb::Report& report, uint32_t from, uint32_t to) {
  const pb::ReportVertex* const waiter = VertexOfId(report, from);
  const pb::ReportVertex* const waited_for = VertexOfId(report, to);
  const pb::ReportEdge* const edge = EdgeOfIds(report, from, to);
  if (waiter == nullptr || waited_for == nullptr || edge == nullptr)
    return {.questions = {}, .none_because = kNothingToPick};
  PickedFixes fixes;
  const std::string& kind = waited_for->kind();
  if (kind == "link") {
    fixes.AddAmount(FixChange::kScale, to, 0.5);
  } else if (kind == "timer") {
    fixes.AddAmount(FixChange::kTimer, from, 0.5);
    fixes.AddAmount(FixChange::kTimer, from, 0.1);
  } else if (kind == "held_back") {
    fixes.AddWait(FixChange::kAsync, from, to);
  } else if (kind == "disk" && IsThreadKind(waiter->kind())) {
    fixes.AddWait(FixChange::kAsync, from, to);
    fixes.AddWait(FixChange::kSkip, from, to);
    AddFixesOfDisk(to, fixes);
  } else if (kind == "disk") {
    AddFixesOfDisk(to, fixes);
  } else if (IsThreadKind(kind) && IsThreadKind(waiter->kind())) {
    const bool is_lock = MayBeALock(*edge);
    if (is_lock) fixes.AddWait(FixChange::kLock, from, to);
    if (is_lock) fixes.AddWait(FixChange::kBatch, from, to);
    fixes.AddWait(FixChange::kAsync, from, to);
    fixes.AddAmount(FixChange::kRun, to, 0.5);
    fixes.AddAmount(FixChange::kAddThread, to, 1);
    fixes.Add(FixChange::kNoFalseWakeups, from);
  } else if (IsThreadKind(kind)) {
    fixes.AddAmount(FixChange::kRun, to, 0.5);
  }
  FixQuestions found = fixes.Questions(report, kNotReplayed);
  AddSplit(found);
  return found;
}

FixQuestions QuestionsOfVertex(const pb::Report& report, uint32_t vertex) {
  const pb::ReportVertex* const picked = VertexOfId(report, vertex);
  if (picked == nullptr) return {.questions = {}, .none_because = kNothingToPick};
  PickedFixes fixes;
  if (picked->kind() == "disk") AddFixesOfDisk(vertex, fixes);
  if (picked->kind() == "link") fixes.AddAmount(FixChange::kScale, vertex, 0.5);
  if (IsThreadKind(picked->kind())) {
    fixes.AddAmount(FixChange::kRun, vertex, 0.5);
    fixes.AddAmount(FixChange::kAddThread, vertex, 1);
    fixes.AddAmount(FixChange::kInFlight, vertex, 2);
    fixes.AddAmount(FixChange::kClients, vertex, 2);
    fixes.Add(FixChange::kNoFalseWakeups, vertex);
    if (SleepsOnATimer(report, vertex)) fixes.AddAmount(FixChange::kTimer, vertex, 0.5);
  }
  return fixes.Questions(report, kNotReplayed);
}

FixQuestions QuestionsOfMachine(const pb::Report& report) {
  PickedFixes fixes;
  for (const pb::ReportNode& node : report.cluster().nodes()) {
    pb::NaturalFix& fix = fixes.Add(FixChange::kCpus);
    fix.set_node(node.name());
    fix.set_amount(2.0 * node.cpus());
  }
  if (!report.has_cluster() && report.recording().cpus() > 0)
    fixes.Add(FixChange::kCpus).set_amount(2.0 * report.recording().cpus());
  return fixes.Questions(report, kNotReplayed);
}

}  // namespace gordian
