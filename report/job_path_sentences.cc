// SPDX-License-Identifier: Apache-2.0
#include "report/job_path_sentences.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/time_units.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kProgramsTold = 4;

std::string DurationText(double ns) { return FormatDuration(static_cast<uint64_t>(ns)); }

double LossShare(const JobPath& path) {
  return path.length_ns > 0 ? path.loss_ns[static_cast<size_t>(path.verdict)] / path.length_ns : 0;
}

std::string Culprit(const JobPath& path) {
  return path.loss_programs.empty() ? "a program" : CleanText(path.loss_programs[0].program);
}

// One program, or two that both have a good part of it.
bool AreTwo(const JobPath& path) {
  return path.loss_programs.size() > 1 &&
         path.loss_programs[1].ns >= kWorthASentence * path.length_ns;
}

std::string Culprits(const JobPath& path) {
  if (!AreTwo(path)) return Culprit(path);
  return absl::StrCat(Culprit(path), " and ", CleanText(path.loss_programs[1].program));
}

double StateNs(const JobPath& path, PathState state) {
  double sum_ns = 0;
  for (const ProgramShare& share : path.shares) {
    if (share.state == state) sum_ns += share.ns;
  }
  return sum_ns;
}

bool IsOfNetwork(const JobPath& path) {
  return StateNs(path, PathState::kNetwork) > StateNs(path, PathState::kTimer);
}

// "alone", or what counts as that on a machine of many CPUs.
std::string Alone(const JobPath& path) {
  if (path.narrow <= 1) return "alone";
  return absl::StrCat("with at most ", path.narrow - 1, " beside it");
}

std::string ForShare(const JobPath& path) {
  return absl::StrCat("for ", PercentText(LossShare(path)), " of the job's time");
}

std::string WidthText(const JobPath& path) {
  return absl::StrFormat("%.1f of %s", path.width, FormatCount(path.cpus, "CPU"));
}

// "cc1 61 %, ld 22 %", by program over all states.
std::string ProgramsOnPath(const JobPath& path) {
  struct Program {
    std::string name;
    double ns = 0;
    double run_ns = 0;
  };
  std::vector<Program> programs;
  for (const ProgramShare& share : path.shares) {
    auto known = std::find_if(programs.begin(), programs.end(), [&share](const Program& program) {
      return program.name == share.program;
    });
    if (known == programs.end()) known = programs.insert(known, Program{.name = share.program});
    known->ns += share.ns;
    if (share.state == PathState::kRun) known->run_ns += share.ns;
  }
  std::stable_sort(programs.begin(), programs.end(),
                   [](const Program& a, const Program& b) { return a.ns > b.ns; });
  std::vector<std::string> words;
  for (const Program& program : programs) {
    if (words.size() == kProgramsTold || program.ns < kWorthAWord * path.length_ns) break;
    const double share = program.ns / path.length_ns;
    const double run = program.run_ns / path.length_ns;
    std::string text = absl::StrCat(CleanText(program.name), " ", PercentText(share));
    if (share - run >= kWorthAWord) absl::StrAppend(&text, " (", PercentText(run), " on a CPU)");
    words.push_back(text);
  }
  return absl::StrJoin(words, ", ");
}

std::string WhyOfLoss(const JobPath& path) {
  switch (path.verdict) {
    case PathLoss::kSerial:
    case PathLoss::kTurns:
    case PathLoss::kNarrow:
      return absl::StrCat("On average the job keeps ", WidthText(path), " busy.");
    case PathLoss::kBarrier:
      return absl::StrCat("It is one of several that ", CleanText(path.barrier_parent),
                          " began side by side. The others are done, and ",
                          path.runs_go_on
                              ? "the next step begins only after it."
                              : "the job ends, or goes on to its next step, only after it.");
    case PathLoss::kDisk:
      return "The disk works while the program waits, and rests while the program works.";
    case PathLoss::kIdle:
      return absl::StrCat("Neither CPUs nor disks work for the job meanwhile. ",
                          IsOfNetwork(path) ? "The answers come from machines that were not "
                                              "recorded."
                                            : "Sleeps and time limits end these waits.");
    case PathLoss::kStarved: {
      std::vector<std::string> words;
      for (const ProgramTime& other : path.others) {
        if (words.size() == kProgramsTold) break;
        words.push_back(
            absl::StrCat(CleanText(other.program), " ", PercentText(other.ns / path.length_ns)));
      }
      return absl::StrCat(
          "Its threads were ready to run while these had the CPUs, in parts of "
          "the job's time: ",
          absl::StrJoin(words, ", "), ".");
    }
    case PathLoss::kOutside:
      return "The job's threads sleep until that program answers.";
    case PathLoss::kFull: {
      std::vector<std::string> words;
      for (const ProgramTime& user : path.cpu_programs) {
        if (words.size() == kProgramsTold || user.ns < kWorthAWord * path.work_ns) break;
        words.push_back(
            absl::StrCat(CleanText(user.program), " ", PercentText(user.ns / path.work_ns)));
      }
      return absl::StrCat("The job's CPU time: ", absl::StrJoin(words, ", "), ".");
    }
    case PathLoss::kUntold:
      return "Records of these waits' ends are missing.";
  }
  return "";
}

std::string BarrierTitle(const JobPath& path) {
  return absl::StrCat("A straggler, ", Culprit(path), ", runs ", Alone(path), " ", ForShare(path),
                      " after the others beside it are done",
                      path.runs_go_on ? ", and the next ones wait for its end." : ".");
}

std::string IdleTitle(const JobPath& path) {
  const char* what = IsOfNetwork(path) ? "the network" : "timers";
  if (AreTwo(path))
    return absl::StrCat(Culprits(path), " take turns; ", ForShare(path),
                        " none of them works, and the job waits for ", what, ".");
  return absl::StrCat(Culprit(path), " waits for ", what, " ", ForShare(path),
                      ", and nothing else of the job works.");
}

std::string ServedRate(const JobPath& path) {
  const double seconds = static_cast<double>(path.to_ns - path.from_ns) / kNsPerSecond;
  return absl::StrFormat("%.0f", static_cast<double>(path.served_processes) / seconds);
}

// Of a server the end of one process holds up nobody but its client.
std::string ServerTitle(const JobPath& path) {
  const std::string starts = absl::StrCat(CleanText(path.server), " starts ", ServedRate(path),
                                          " processes a second for its clients, which do ",
                                          PercentText(path.served_share), " of its work");
  switch (path.verdict) {
    case PathLoss::kFull:
      return absl::StrCat("The machine is full: ", starts, ".");
    case PathLoss::kStarved:
      return absl::StrCat(
          starts, ", and other programs have the CPUs that it needs",
          path.others.empty() ? "" : absl::StrCat(", mostly ", CleanText(path.others[0].program)),
          ".");
    default:
      // Commands of a job wait for each other; a server's processes are each for a client.
      return absl::StrCat(starts, ".");
  }
}

std::string RateOfStarts(const JobPath& path) {
  const double seconds = path.length_ns / kNsPerSecond;  // without pauses
  return absl::StrFormat("%.0f processes a second",
                         static_cast<double>(path.brief.processes) / seconds);
}

std::string StartsTitle(const JobPath& path) {
  return absl::StrCat("Starting processes is the limit: ", CleanText(path.brief.parent), " starts ",
                      RateOfStarts(path), ", mostly ", CleanText(path.brief.program), ", which do ",
                      PercentText(path.brief.share), " of its work.");
}

// A machine that is full of starts, or rests between them, has no other limit. Programs that wait
// for each other have one: the title names it.
bool AreStartsTheLimit(const JobPath& path) {
  if (!path.is_of_starts) return false;
  return path.verdict == PathLoss::kFull || path.verdict == PathLoss::kIdle ||
         path.verdict == PathLoss::kNarrow;
}

// The program that runs alone is started again and again, each time for hardly longer than an
// interpreter takes to begin. (The longest commands of the path are known; if it is none of them,
// it is shorter than these.)
bool IsStartedAgainAndAgain(const JobPath& path) {
  if (path.loss_programs.empty() || path.longest_on_path.empty()) return false;
  const ProgramTime& most = path.loss_programs[0];
  double longest_ns = path.longest_on_path.back().path_ns;
  for (const JobCommand& command : path.longest_on_path)
    if (command.program == most.program) longest_ns = std::max(longest_ns, command.path_ns);
  return longest_ns <= kLittleMoreThanToBeginNs && most.ns >= kManyStarts * longest_ns;
}

std::vector<std::string> AdviceOfSerial(const JobPath& path) {
  const std::string culprit = Culprit(path);
  std::vector<std::string> advice;
  if (IsStartedAgainAndAgain(path))
    advice.push_back(absl::StrCat("Start ", culprit,
                                  " less often, as each is done after some milliseconds: give one "
                                  "of them many inputs, let one stay and take one input after "
                                  "the other, or do its work in the program that starts it."));
  advice.push_back(absl::StrCat("Run several inputs at once if ", culprit,
                                " has many (xargs -P, make -j), or split its work."));
  advice.push_back(
      absl::StrCat("Or start other work beside ", culprit, " that does not need its result."));
  return advice;
}

std::vector<std::string> AdviceOfLoss(const JobPath& path) {
  const std::string culprit = Culprit(path);
  switch (path.verdict) {
    case PathLoss::kSerial:
      return AdviceOfSerial(path);
    case PathLoss::kTurns:
      return {
          "Let them overlap: hand over more at a time, and let the first go on meanwhile "
          "(a larger buffer between them, or several requests under way)."};
    case PathLoss::kBarrier:
      if (path.runs_go_on)
        return {std::string("Let the next step begin before all of this one are done: one graph of "
                            "dependences instead of steps with a barrier between them."),
                absl::StrCat("Or split the longest ", culprit, ".")};
      return {
          absl::StrCat("Start the longest ", culprit, " first, so that it runs beside the others."),
          "Or split it."};
    case PathLoss::kNarrow:
      return {"Run more at once: a higher -j or -P, or more independent targets."};
    case PathLoss::kDisk:
      return {absl::StrCat("Ask for more at a time in ", culprit,
                           ": several inputs at once, read-ahead, fewer syncs."),
              "Or keep the files in memory (page cache, tmpfs)."};
    case PathLoss::kIdle:
      if (IsOfNetwork(path))
        return {"Have several requests under way at once, or fetch less (a cache, a mirror)."};
      return {absl::StrCat("Replace sleeps and polling in ", culprit,
                           " by waiting for the event itself."),
              "Run other work of the job meanwhile."};
    case PathLoss::kStarved:
      return {
          path.others.empty()
              ? "Run the job when the machine is free, or with a higher priority."
              : absl::StrCat("Move ", CleanText(path.others[0].program),
                             " elsewhere or give it a lower priority (nice, cgroup cpu.weight)."),
          "Or run fewer other programs beside the job."};
    case PathLoss::kOutside:
      return {absl::StrCat("Look at ", culprit, ": record it by name while the job runs."),
              "Or ask it less often: for several things at once, over a connection that stays."};
    case PathLoss::kFull:
      return {absl::StrCat(
          "Less work or more CPUs: profile ",
          path.cpu_programs.empty() ? culprit : CleanText(path.cpu_programs[0].program),
          ", cache its results (ccache), or do not do it.")};
    case PathLoss::kUntold:
      return {"Record again with larger rings, and all of the machine (without --only)."};
  }
  return {};
}

}  // namespace

std::string LossInWords(PathLoss loss) {
  switch (loss) {
    case PathLoss::kSerial:
      return "one program runs alone";
    case PathLoss::kTurns:
      return "programs take turns";
    case PathLoss::kBarrier:
      return "a straggler runs alone";
    case PathLoss::kNarrow:
      return "the job is narrower than the machine";
    case PathLoss::kDisk:
      return "waiting for disks";
    case PathLoss::kIdle:
      return "waiting for the network or timers";
    case PathLoss::kStarved:
      return "other programs have the CPUs";
    case PathLoss::kOutside:
      return "waiting for programs outside of the job";
    case PathLoss::kFull:
      return "the job uses all CPUs";
    case PathLoss::kUntold:
      return "not known";
  }
  return "";
}

std::string PathTitle(const JobPath& path) {
  if (path.is_server) return ServerTitle(path);
  if (AreStartsTheLimit(path)) return StartsTitle(path);
  switch (path.verdict) {
    case PathLoss::kSerial:
      return absl::StrCat(Culprits(path), AreTwo(path) ? " run, each " : " runs ", Alone(path), " ",
                          ForShare(path), ", and the job leaves the other CPUs unused.");
    case PathLoss::kTurns:
      return absl::StrCat(Culprits(path),
                          AreTwo(path) ? " take turns: " : " takes turns: ", ForShare(path),
                          " one works while the next one waits for it.");
    case PathLoss::kBarrier:
      return BarrierTitle(path);
    case PathLoss::kNarrow:
      return absl::StrCat("The job is narrower than the machine: it keeps ", WidthText(path),
                          " busy.");
    case PathLoss::kDisk:
      return absl::StrCat(Culprits(path), " and the disk take turns: ", ForShare(path),
                          " the job waits for one request at a time.");
    case PathLoss::kIdle:
      return IdleTitle(path);
    case PathLoss::kStarved:
      return absl::StrCat(
          "Other programs have the CPUs that the job needs",
          path.others.empty() ? "" : absl::StrCat(", mostly ", CleanText(path.others[0].program)),
          ": that costs ", PercentText(LossShare(path)), " of the job's time.");
    case PathLoss::kOutside:
      return absl::StrCat(path.askers.empty()
                              ? "The job"
                              : absl::StrCat("The job's ", CleanText(path.askers[0].program)),
                          " waits for ", Culprits(path), ", outside of it, ", ForShare(path), ".");
    case PathLoss::kFull:
      return absl::StrCat(
          "The machine is full: the job uses all of its CPUs ", ForShare(path),
          path.cpu_programs.empty()
              ? ""
              : absl::StrCat(", mostly for ", CleanText(path.cpu_programs[0].program)),
          ".");
    case PathLoss::kUntold:
      return absl::StrCat("The recording does not tell what the job waits for ", ForShare(path),
                          ".");
  }
  return "";
}

std::vector<std::string> PathWhy(const JobPath& path) {
  std::vector<std::string> why;
  if (path.is_server)
    why.push_back(absl::StrCat("Each of these processes needs ", DurationText(path.served_busy_ns),
                               " of CPUs and disks on average, with its beginning and its end."));
  if (path.is_of_starts)
    why.push_back(absl::StrCat(
        AreStartsTheLimit(path) ? "Each"
                                : absl::StrCat(RateOfStarts(path), " are started, and each"),
        " of them needs ", DurationText(path.brief.busy_ns),
        " of CPUs and disks on average: hardly more than it takes to start and to end one."));
  why.push_back(absl::StrCat("The critical path, ", DurationText(path.length_ns),
                             " long, goes through ", ProgramsOnPath(path), "."));
  if (!path.is_server) why.push_back(WhyOfLoss(path));
  std::string least = absl::StrCat("All of ", path.is_server ? "its" : "the job's", " work takes ",
                                   DurationText(path.work_ns / std::max(1u, path.cpus)), " on ",
                                   FormatCount(path.cpus, "CPU"));
  if (!path.longest_piece.empty())
    absl::StrAppend(&least, "; its longest piece that one thread does, of ",
                    CleanText(path.longest_piece), ", takes ", DurationText(path.longest_piece_ns));
  why.push_back(least + ".");
  return why;
}

std::vector<std::string> PathAdvice(const JobPath& path) {
  if (path.is_server)
    return {
        "Let processes stay and serve one client after the other: connections that are kept (a "
        "pool), processes or threads that are started beforehand (FastCGI instead of CGI).",
        absl::StrCat("If each has much to do for its client: profile ",
                     path.cpu_programs.empty() ? CleanText(path.server)
                                               : CleanText(path.cpu_programs[0].program),
                     ".")};
  if (!path.is_of_starts) return AdviceOfLoss(path);
  const std::string fewer = absl::StrCat(
      "Start fewer: do their work in ", CleanText(path.brief.parent),
      " itself (a builtin, a library), give one process many inputs (xargs without -n 1, one awk "
      "for all lines), or let processes stay and take one input after the other.");
  if (AreStartsTheLimit(path)) return {fewer};
  // Others that hold the job up come first: fewer processes would still wait for them.
  const bool is_held_up = path.verdict == PathLoss::kStarved ||
                          path.verdict == PathLoss::kOutside || path.verdict == PathLoss::kDisk;
  std::vector<std::string> advice = AdviceOfLoss(path);
  advice.insert(is_held_up ? advice.end() : advice.begin(), fewer);
  return advice;
}

}  // namespace gordian
