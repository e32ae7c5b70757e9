// SPDX-License-Identifier: Apache-2.0
// The changes that `gordian whatif` understands: one row each, with all facts about it. The command
// line, its help and answers walk this table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schema/whatif.pb.h"
#include "whatif/ask/change_arguments.h"
#include "whatif/edit/edit.h"
#include "whatif/paths/paths.h"

namespace gordian {

// The change to replay.
struct NamedChanges {
  Changes changes;
  std::vector<RemovedEdge> removed;  // waits that are gone, those for a disk's kernel threads too
  std::vector<pb::WhatIfChange> texts;
  bool merges = false;  // one of them does
  // Whose cycles count, where cycles do and nothing else was asked for: the threads that wait at
  // the locks that change, if no more changes. Empty: those of the default.
  std::vector<uint32_t> count_cycles_of;
};

struct ChangeRow {
  ChangeOption option;
  ArgumentReader* read;
  void (*apply)(const ChangeArgument& argument, const RecordedNames& names, NamedChanges& made);
  // As a sentence has it: "With …".
  std::string (*words)(const ChangeArgument& argument);
  // It takes steps as recorded. So it goes together with more requests at a time, which play
  // stretches of the recording at once.
  bool keeps_steps = true;
  // A fix of that kind does many operations in one (a thousand transactions, one sync). What that
  // saves around the waits is in no recording without it, so the gain is at least the predicted.
  bool merges = false;
  // Replays of requests were nearer to measured gains than those of threads
  // (docs/design-token-replay.md has the table).
  bool by_requests = false;
  // It is about a lock. Who holds it gains nothing when others find it free: those that wait for it
  // count, where cycles are the throughput.
  bool counts_waiters = false;
};

std::span<const ChangeRow> ChangeTable();

// Changes are made in the order of the table.
absl::StatusOr<NamedChanges> ReadChanges(const AnalyzedRecording& recording,
                                         const WhatIfRequest& request);

}  // namespace gordian
