// SPDX-License-Identifier: Apache-2.0
#include "report/job_path_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/doubts.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/fix_change.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/ranking.h"
#include "base/time_units.h"
#include "report/job_path_sentences.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostMembers = 8;

double Seconds(double ns) { return ns / static_cast<double>(kNsPerSecond); }

// Without a command line the program's name and the process' number tell a command.
void NameCommand(const Timeline& timeline, const JobCommand& command, pb::PathCommand& out) {
  out.set_program(CleanText(command.program));
  out.set_pid(timeline.entities()[command.leader].tgid);
  // The program that it ran then: the last that had begun.
  for (const Program& program : timeline.programs(command.leader)) {
    if (program.start_ns > command.from_ns) break;
    out.set_command(CleanText(program.command));
    out.set_directory(CleanText(program.directory));
  }
}

void AddLosses(const JobPath& path, pb::JobPath& out) {
  for (size_t i = 0; i < kPathLosses; ++i) {
    if (path.loss_ns[i] <= 0) continue;
    pb::PathLoss& loss = *out.add_losses();
    loss.set_loss(PathLossName(static_cast<PathLoss>(i)));
    loss.set_seconds(Seconds(path.loss_ns[i]));
    loss.set_share(path.loss_ns[i] / path.length_ns);
  }
  std::stable_sort(
      out.mutable_losses()->begin(), out.mutable_losses()->end(),
      [](const pb::PathLoss& a, const pb::PathLoss& b) { return a.seconds() > b.seconds(); });
}

void AddCommands(const Timeline& timeline, const JobPath& path, pb::JobPath& out) {
  for (const JobCommand& command : path.longest_on_path) {
    pb::PathCommand& row = *out.add_longest();
    NameCommand(timeline, command, row);
    row.set_outside(command.is_outside);
    row.set_start_s(SecondsOf(command.from_ns - std::min(command.from_ns, timeline.start_ns())));
    row.set_seconds(SecondsOf(command.to_ns - command.from_ns));
    row.set_path_s(Seconds(command.path_ns));
    row.set_alone_s(Seconds(command.alone_ns));
  }
}

// By vertex. Without a name for it, the busiest group was chosen.
JobPathOptions TargetOf(const Waits& waits, const WaitForGraph& graph, const MergedGraph& merged,
                        const TimeRange& range, const pb::Report& report) {
  JobPathOptions options{.from_ns = range.from_ns, .to_ns = range.to_ns};
  options.is_named = report.scope().chosen_by() != "busiest group";
  for (EntityId thread = 0; thread < waits.timeline().thread_count(); ++thread) {
    const uint32_t vertex = merged.vertex_of_entity[waits.Representative(thread)];
    const bool is_of_group = vertex < static_cast<uint32_t>(report.vertices_size()) &&
                             report.vertices(static_cast<int>(vertex)).target();
    options.is_target.push_back(options.is_named ? graph.entities[thread].target : is_of_group);
  }
  return options;
}

Confidence DoubtsOf(const JobPath& path, const pb::RecordingSummary& recording) {
  Confidence confidence;
  const double untold = path.loss_ns[static_cast<size_t>(PathLoss::kUntold)] / path.length_ns;
  if (path.verdict != PathLoss::kUntold && untold >= kWorthASentence)
    confidence.Doubt(untold, absl::StrCat("The recording does not tell what the job waited for ",
                                          PercentText(untold), " of its time."));
  const double told_ns = path.loss_ns[static_cast<size_t>(path.verdict)];
  for (size_t i = 0; i < kPathLosses; ++i) {
    const auto loss = static_cast<PathLoss>(i);
    if (loss == path.verdict || loss == PathLoss::kFull || loss == PathLoss::kUntold) continue;
    if (path.verdict == PathLoss::kFull || path.loss_ns[i] < kNearlyAsMuch * told_ns) continue;
    confidence.Doubt(
        kDoubtOfAPath,
        absl::StrCat("Another loss is nearly as large: ", LossInWords(loss), ", ",
                     PercentText(path.loss_ns[i] / path.length_ns), " of the job's time."));
  }
  if (!path.is_whole && !path.is_server)  // a server goes on
    confidence.Doubt(kDoubtOfAPath,
                     "The job's end was not recorded: this is an average over its parts.");
  if (recording.lost() > 0) {
    const auto lost = static_cast<double>(recording.lost());
    confidence.Doubt(std::min(1.0, lost / (lost + static_cast<double>(recording.events()))),
                     absl::StrCat(FormatCount(recording.lost(), "record"),
                                  " were lost: a part of the path may lead elsewhere."));
  }
  return confidence;
}

double BoundOf(const JobPath& path) {
  // If its processes cost nothing.
  if (path.is_server)
    return std::min(kMostGain, 1 / std::max(1 / kMostGain, 1 - path.served_share));
  const double of_starts =
      path.is_of_starts ? 1 / std::max(1 / kMostGain, 1 - path.brief.share) : 1;
  // A full machine has no loss.
  const double of_loss = path.verdict == PathLoss::kFull ? 1 : path.gain_bound;
  return std::min(kMostGain, std::max(of_loss, of_starts));
}

// Has most of the loss, or waits for the outsider that has it.
bool IsTold(const JobCommand& command, const JobPath& path) {
  if (!path.loss_programs.empty() && command.program == path.loss_programs[0].program) return true;
  return path.verdict == PathLoss::kOutside && !path.askers.empty() &&
         command.program == path.askers[0].program;
}

Finding FindingOf(const Waits& waits, const MergedGraph& merged, const JobPath& path,
                  const pb::RecordingSummary& recording) {
  Confidence confidence = DoubtsOf(path, recording);
  Finding finding{.kind = FindingKind::kPath,
                  .share = path.loss_ns[static_cast<size_t>(path.verdict)] / path.length_ns,
                  .upper_bound_gain = BoundOf(path),
                  .confidence = confidence.value,
                  .title = PathTitle(path),
                  .why = PathWhy(path),
                  .advice = PathAdvice(path),
                  .doubts = std::move(confidence.doubts)};
  if (path.is_of_starts) {
    const auto vertex_of = [&](EntityId thread) {
      return merged.vertex_of_entity[waits.Representative(thread)];
    };
    finding.natural_fixes.fixes.push_back({.change = FixChange::kSkip,
                                           .who = vertex_of(path.brief.starter),
                                           .whom = vertex_of(path.brief.started)});
  } else {
    finding.natural_fixes.none_because =
        "a replay keeps what each process waited for, and this is about starting them otherwise";
  }
  // The vertices of the commands that are told.
  for (const JobCommand& command : path.longest_on_path) {
    if (!IsTold(command, path)) continue;
    const uint32_t vertex = merged.vertex_of_entity[waits.Representative(command.leader)];
    const bool is_new =
        std::find(finding.members.begin(), finding.members.end(), vertex) == finding.members.end();
    if (is_new && finding.members.size() < kMostMembers) finding.members.push_back(vertex);
  }
  std::sort(finding.members.begin(), finding.members.end());
  return finding;
}

}  // namespace

pb::JobPath JobPathMessage(const Timeline& timeline, const JobPath& path) {
  pb::JobPath out;
  out.set_root(CleanText(path.root_program));
  if (path.root != kNobody) out.set_root_pid(timeline.entities()[path.root].tgid);
  out.set_is_job(path.is_job);
  out.set_whole(path.is_whole);
  out.set_start_s(SecondsOf(path.from_ns - timeline.start_ns()));
  out.set_seconds(Seconds(path.length_ns));
  out.set_commands(path.commands);
  out.set_short_lived_share(path.short_lived_share);
  out.set_work_s(Seconds(path.work_ns));
  out.set_width(path.width);
  out.set_narrow(path.narrow);
  out.set_longest_piece_s(Seconds(path.longest_piece_ns));
  out.set_longest_piece(CleanText(path.longest_piece));
  out.set_verdict(PathLossName(path.verdict));
  out.set_gain_bound(path.gain_bound);
  for (const ProgramShare& share : path.shares) {
    pb::PathShare& row = *out.add_shares();
    row.set_program(CleanText(share.program));
    row.set_outside(share.is_outside);
    row.set_state(PathStateName(share.state));
    row.set_seconds(Seconds(share.ns));
    row.set_alone_s(Seconds(share.alone_ns));
    row.set_share(share.ns / path.length_ns);
  }
  AddLosses(path, out);
  AddCommands(timeline, path, out);
  for (const WidthBin& bin : path.strip) {
    pb::WidthBin& row = *out.add_strip();
    row.set_running(bin.running);
    row.set_ready(bin.ready);
    row.set_disk(bin.disk);
    row.set_others(bin.others);
    row.set_program(CleanText(bin.program));
  }
  for (const PathStretch& stretch : path.stretches) {
    pb::PathStretch& row = *out.add_stretches();
    row.set_start_s(SecondsOf(stretch.from_ns - timeline.start_ns()));
    row.set_seconds(SecondsOf(stretch.to_ns - stretch.from_ns));
    row.set_program(CleanText(stretch.program));
    row.set_pid(timeline.entities()[stretch.leader].tgid);
    row.set_state(PathStateName(stretch.state));
    row.set_outside(stretch.is_outside);
  }
  for (const ProgramTime& other : path.others) {
    pb::CpuUser& user = *out.add_cpu_users();
    user.set_name(CleanText(other.program));
    user.set_share(other.ns / path.length_ns);
  }
  return out;
}

void AskAboutPartsOfTheJob(pb::Report& report) {
  if (!report.path().is_job() && !report.path().whole()) return;
  for (pb::Finding& finding : *report.mutable_findings()) {
    const bool is_own_work = FactsOf(finding).works && finding.outside().empty();
    if (!is_own_work || finding.members_size() != 1 || !finding.natural_fixes().empty()) continue;
    pb::NaturalFix& fix = *finding.add_natural_fixes();
    fix.set_change(FixChangeName(FixChange::kRun));
    fix.set_who(finding.members(0));
    fix.set_amount(kLessWork);
    finding.clear_no_natural_fix_because();
  }
}

void AddJobPath(const Waits& waits, const WaitForGraph& graph, const MergedGraph& merged,
                const TimeRange& range, pb::Report& report) {
  const Timeline& timeline = waits.timeline();
  // The CPUs of several nodes are no common pool.
  if (!timeline.nodes().empty()) return;
  const JobPath path = FindJobPath(timeline, TargetOf(waits, graph, merged, range, report));
  if (!path.exists || path.length_ns <= 0) return;
  *report.mutable_path() = JobPathMessage(timeline, path);
  AskAboutPartsOfTheJob(report);
  if (!path.is_job) return;
  WriteFinding(FindingOf(waits, merged, path, report.recording()), report);
  RankFindings(report);
}

}  // namespace gordian
