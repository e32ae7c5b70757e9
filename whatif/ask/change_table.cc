// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/change_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "whatif/ask/unseen_functions.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

using Argument = ChangeArgument;

std::string FactorWords(double factor) {
  if (factor == 0) return "taking no time";
  return factor < 1 ? absl::StrFormat("%.3g times as fast", 1 / factor)
                    : absl::StrFormat("%.3g times as slow", factor);
}

std::string LockWords(const Argument& it) {
  return absl::StrCat("the lock of ", it.from_name,
                      it.from_name == it.to_name ? "" : absl::StrCat(" and ", it.to_name));
}

// Of a disk: kernel threads that tell of its completions are in between.
void RemoveWithRelays(uint32_t from, uint32_t to, const RecordedNames& names, NamedChanges& made) {
  if (!names.IsThread(from)) return;
  made.removed.push_back({from, to});
  if (!names.IsDisk(to)) return;
  for (const pb::ReportEdge& edge : names.recording().report.edges()) {
    if (edge.from() == from && names.IsKernelThread(edge.to()) &&
        names.WaitsThroughKernel(edge.to(), to))
      made.removed.push_back({from, edge.to()});
  }
}

void ScaleDevice(const Argument& it, const RecordedNames& names, NamedChanges& made) {
  for (const uint32_t device : it.vertices) {
    if (names.IsLink(device)) {
      made.changes.links.push_back({device, it.number});  // the calls that send and receive stay
      continue;
    }
    made.changes.disks.push_back({device, it.number});
    if (it.number != 0) continue;
    for (const pb::ReportEdge& edge : names.recording().report.edges()) {
      if (edge.to() == device) RemoveWithRelays(edge.from(), device, names, made);
    }
  }
}

// So many in all: of several vertices of that name each gets its part, by its threads. It may be
// none; ReadChanges takes these away once it has seen whether processes are meant.
void AddThreads(const Argument& it, const RecordedNames& names, NamedChanges& made) {
  const auto threads_of = [&](uint32_t vertex) {
    const auto& vertices = names.recording().report.vertices();
    return static_cast<uint64_t>(std::max(1, vertices[static_cast<int>(vertex)].members_size()));
  };
  uint64_t all = 0;
  for (const uint32_t vertex : it.vertices) all += threads_of(vertex);
  uint64_t so_far = 0;
  uint64_t dealt = 0;
  for (const uint32_t vertex : it.vertices) {
    so_far += threads_of(vertex);
    const uint64_t until_here = it.count() * so_far / all;
    made.changes.added_threads.push_back({vertex, static_cast<uint32_t>(until_here - dealt)});
    dealt = until_here;
  }
}

void RemoveWaits(const Argument& it, bool keeps_up, const RecordedNames& names,
                 NamedChanges& made) {
  for (const RemovedEdge& wait : it.waits) {
    made.changes.waits.push_back({wait.from, wait.to, keeps_up, std::max(1u, it.count())});
    RemoveWithRelays(wait.from, wait.to, names, made);
  }
}

void GoOnWithoutWaiting(const Argument& it, const RecordedNames& names, NamedChanges& made) {
  RemoveWaits(it, /*keeps_up=*/true, names, made);
}

void NotEvenAsk(const Argument& it, const RecordedNames& names, NamedChanges& made) {
  RemoveWaits(it, /*keeps_up=*/false, names, made);
}

void Skip(const Argument& it, const RecordedNames& names, NamedChanges& made) {
  const size_t before = made.changes.waits.size();
  NotEvenAsk(it, names, made);
  for (WaitChange& wait : std::span(made.changes.waits).subspan(before)) {
    wait.keeps_one_in = it.count();
    wait.starts_none = true;
  }
}

// The lock is one, also if it is known by several waits.
LockSplit SplitOf(const Argument& it, uint32_t ways, bool grouped) {
  LockSplit split = {it.waits.front().from, it.waits.front().to, ways, grouped, {}};
  for (const RemovedEdge& wait : std::span(it.waits).subspan(1))
    split.also.push_back({wait.from, wait.to});
  return split;
}

MoreAtOnce MoreOf(const Argument& it, bool more_threads) {
  return {
      it.vertices.front(), it.count(), more_threads, {it.vertices.begin() + 1, it.vertices.end()}};
}

void ScaleFunction(const Argument& it, const RecordedNames& names, NamedChanges& made) {
  const AnalyzedRecording& recording = names.recording();
  for (const pb::ReportVertex& vertex : recording.report.vertices()) {
    const double share = RunShareOf(recording.stacks, recording.code, vertex.id(), it.from_name);
    if (share > 0)
      made.changes.runs.push_back(
          {.vertex = vertex.id(), .factor = 1 - share * (1 - it.number), .of_function = true});
  }
  if (!made.changes.runs.empty()) return;
  const double most = MostUnseenShare(names.recording());
  for (const uint32_t vertex : recording.report.scope().vertices()) {
    if (names.IsThread(vertex))
      made.changes.runs.push_back({.vertex = vertex,
                                   .of_function = true,
                                   .least_factor = std::min(1.0, 1 - most * (1 - it.number))});
  }
}

constexpr ChangeRow kTable[] = {
    {.option = {"scale", "DISK=FACTOR",
                "The disk's service takes so many times as long; 0: no time. Of several nodes also "
                "LINK=FACTOR: messages are under way so many times as long"},
     .read = ReadDeviceFactor,
     .apply = ScaleDevice,
     .words =
         [](const Argument& it) {
           // Its label says so already where a thread has the same name.
           const bool says_so =
               it.from_name.starts_with("disk ") || it.from_name.starts_with("link ");
           return absl::StrCat(says_so ? "" : "disk ", it.from_name, " ", FactorWords(it.number));
         },
     .by_requests = true},
    {.option =
         {"async", "WHO->WHOM[=HELPERS]",
          "WHO does not wait for WHOM any more; WHOM goes on doing the work. Of a disk so many "
          "helpers (8) wait for each thread: reads overlap, syncs merge"},
     .read = ReadAsync,
     .apply = GoOnWithoutWaiting,
     .words =
         [](const Argument& it) {
           return absl::StrCat(it.from_name, " not waiting for ", it.to_name);
         },
     .keeps_steps = false,
     .by_requests = true},
    // A thread that finds a lock free makes no call to wait for it.
    {.option = {"lock", "WHO->WHOM", "WHO never finds a lock held by WHOM"},
     .read = ReadWaits,
     .apply = NotEvenAsk,
     .words =
         [](const Argument& it) {
           const std::string others =
               it.from_name == it.to_name ? "" : absl::StrCat(" and ", it.to_name);
           return absl::StrCat(it.from_name, others, " never meeting at a lock");
         },
     .keeps_steps = false,
     .by_requests = true,
     .counts_waiters = true},
    {.option =
         {"skip", "WHO->WHOM[=N]",
          "WHO does not even ask for what it waits for: the calls go, too (no sync at all), and "
          "processes that it started are not started. "
          "With N: one operation or question in so many stays (one sync for 64 lines)"},
     .read = ReadSkipped,
     .apply = Skip,
     .words =
         [](const Argument& it) {
           return absl::StrCat(
               it.from_name, " not waiting for ", it.to_name, ", nor making those calls",
               it.count() == 0 ? "" : absl::StrCat(", but for one in ", it.count()));
         },
     .keeps_steps = false,
     .merges = true,
     .by_requests = true},
    {.option = {"split", "WHO->WHOM=WAYS",
                "The lock for which WHO waits for WHOM becomes so many, needed equally often"},
     .read = ReadLockWays,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           made.changes.splits.push_back(SplitOf(it, it.count(), /*grouped=*/false));
         },
     .words =
         [](const Argument& it) {
           return absl::StrCat(LockWords(it), " split ", it.count(), " ways");
         },
     .keeps_steps = false,
     .by_requests = true,
     .counts_waiters = true},
    {.option = {"batch", "WHO->WHOM",
                "Of all threads that wait for that lock one does the work for all (group commit)"},
     .read = ReadLock,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           made.changes.splits.push_back(SplitOf(it, /*ways=*/1, /*grouped=*/true));
         },
     .words =
         [](const Argument& it) {
           return absl::StrCat("one working for all who wait for ", LockWords(it));
         },
     .keeps_steps = false,
     .merges = true,
     .by_requests = true,
     .counts_waiters = true},
    {.option = {"no-false-wakeups", "THREAD", "The thread is never woken just to sleep again"},
     .read = ReadWokenThread,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           std::vector<uint32_t>& woken = made.changes.no_false_wakeups;
           woken.insert(woken.end(), it.vertices.begin(), it.vertices.end());
         },
     .words =
         [](const Argument& it) { return absl::StrCat(it.from_name, " never woken for nothing"); },
     .keeps_steps = false},
    {.option = {"add-thread", "THREAD[=COUNT]",
                "One more thread of that kind, or so many, share its work"},
     .read = ReadThreadCount,
     .apply = [](const Argument& it, const RecordedNames& names,
                 NamedChanges& made) { AddThreads(it, names, made); },
     .words =
         [](const Argument& it) {
           return absl::StrCat(FormatCount(it.count(), "thread"), " more like ", it.from_name);
         },
     .keeps_steps = false,
     .by_requests = true},
    {.option = {"in-flight", "THREAD=TIMES",
                "So many times as many requests of that thread are under way at a time (a larger "
                "pool or limit, pipelining)",
                /*once=*/true},
     .read = ReadThreadTimes,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           made.changes.more_at_once.push_back(MoreOf(it, /*more_threads=*/false));
         },
     .words =
         [](const Argument& it) {
           return absl::StrCat(it.count(), " times as many requests of ", it.from_name,
                               " under way");
         },
     .by_requests = true},
    {.option = {"clients", "THREAD=TIMES",
                "So many times as many threads of that kind, each with work of its own",
                /*once=*/true},
     .read = ReadThreadTimes,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           made.changes.more_at_once.push_back(MoreOf(it, /*more_threads=*/true));
         },
     .words =
         [](const Argument& it) {
           return absl::StrCat(it.count(), " times as many threads like ", it.from_name,
                               ", each with its own work");
         },
     .by_requests = true},
    {.option = {"timer", "THREAD=FACTOR", "The thread's sleeps are so many times as long"},
     .read = ReadSleeperFactor,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           for (const uint32_t vertex : it.vertices)
             made.changes.timers.push_back({vertex, it.number});
         },
     .words =
         [](const Argument& it) {
           return absl::StrFormat("sleeps of %s %.3g times as long", it.from_name, it.number);
         },
     .by_requests = true},
    {.option = {"function", "NAME=FACTOR",
                "CPU time in that function and what it calls is so many times as long (needs "
                "stacks)"},
     .read = ReadFunctionFactor,
     .apply = ScaleFunction,
     .words =
         [](const Argument& it) {
           return absl::StrCat("function ", CleanText(it.from_name), " ", FactorWords(it.number));
         }},
    {.option = {"run", "THREAD=FACTOR", "The thread's CPU time is so many times as long"},
     .read = ReadThreadFactor,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           for (const uint32_t vertex : it.vertices)
             made.changes.runs.push_back({.vertex = vertex, .factor = it.number});
         },
     .words =
         [](const Argument& it) {
           return absl::StrCat(it.from_name, "'s work ", FactorWords(it.number));
         }},
    {.option = {"cpus", "[NODE=]N",
                "So many CPUs; of several nodes NODE=N, for each node that changes"},
     .read = ReadCpus,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           made.changes.cpus.push_back({it.node, it.count()});
         },
     .words =
         [](const Argument& it) {
           return absl::StrCat(FormatCount(it.count(), "CPU"), it.node_name.empty() ? "" : " on ",
                               CleanText(it.node_name));
         }},
    {.option = {"quota", "GROUP=CPUS",
                "The CPU quota of that cgroup, which has used it up, is so many CPUs. GROUP: as "
                "the report names it, the last part of its path, or a thread in it"},
     .read = ReadQuota,
     .apply =
         [](const Argument& it, const RecordedNames&, NamedChanges& made) {
           made.changes.quotas.push_back({it.cgroup, it.number});
         },
     .words =
         [](const Argument& it) {
           return absl::StrFormat("a CPU quota of %.3g for %s", it.cpus, it.from_name);
         }},
};

}  // namespace

std::span<const ChangeRow> ChangeTable() { return kTable; }

}  // namespace gordian
