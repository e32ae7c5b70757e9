// What one would try of a finding, as a change that `gordian whatif` understands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/report.pb.h"
#include "whatif/whatif.h"

namespace gordian {

struct NaturalFix {
  std::string change;     // --lock 'worker->worker', quoted for a shell
  std::string condition;  // as a sentence goes on: "if …"
  std::string advice;     // a sentence, of what the finding itself does not advise
  WhatIfRequest request;
  // It takes waiting away, rather than that something were twice as fast: only such gains can be
  // compared with each other.
  bool of_wait = true;
  // To be tried only if many wakes of that vertex are for nothing.
  std::optional<uint32_t> if_woken_for_nothing;
};

struct NaturalFixes {
  std::vector<NaturalFix> fixes;  // in the order in which they are worth trying
  std::string none_because;       // without any
};

// By kind of finding (docs/design-replay.md has the table):
// - waits for a disk: they are asynchronous;
// - waits for another kind of thread: there is a queue between; where somebody of the circle waits
//   for a disk, that is asynchronous; more of those threads, or twice as many requests under way;
//   for an outsider the latter;
// - waits of alike threads for each other: no wakes for nothing; no time for the disk, or no lock;
//   one working for all who wait;
// - a sleep: a tenth of it, or more such threads;
// - a thread's work, a full disk: half the time; no free CPU: twice as many.
// - an outsider that is the limit: twice as many of it, or requests to it.
// None for what a replay cannot try: networks, what was not recorded, what is there for only part
// of the recording. Nothing at all (no reason either) for findings that promise nothing:
// background, apart, phases.
NaturalFixes FindNaturalFixes(const AnalyzedRecording& recording, const pb::Finding& finding);

// 'text' for a shell.
std::string ShellQuoted(const std::string& text);

}  // namespace gordian
