// SPDX-License-Identifier: Apache-2.0
// A program whose cgroup has used up its CPU quota gains from what takes CPU time away, and from
// nothing else: more threads or CPUs find the same quota used up. No replay knows that, as threads
// that a quota holds back look like threads that wait for a CPU. Only that they are held back for
// less if their work takes less CPU time, or if the quota itself is larger, is played
// (LetQuotasFollowRuns).
#pragma once

#include <span>
#include <vector>

#include "schema/report.pb.h"
#include "schema/whatif.pb.h"
#include "whatif/ask/ask.h"
#include "whatif/edit/edit.h"

namespace gordian {

// If the first finding is such a program (LimitedByQuota, ask.h), and all changes leave the CPU
// time as it is: tells no gain, and why; or bounds the gain by what the quota leaves, where work
// comes in bursts. If a change takes CPU time away, the quota is a doubt.
void TellUsedUpQuota(const pb::Report& report, pb::WhatIf& answer);

// The cgroups that findings say have used up their quotas, as they are with the changes. A process
// is in one cgroup, and so are its threads that no finding names.
std::vector<QuotaGroup> QuotaGroupsOf(const AnalyzedRecording& recording,
                                      std::span<const QuotaChange> changes);

}  // namespace gordian
