// SPDX-License-Identifier: Apache-2.0
// The reasons of an edge's waits, as data and as text of reports and listings.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/stacks/stacks.h"
#include "analyzer/stacks/wait_things.h"
#include "report/vertex_names.h"
#include "schema/report.pb.h"

namespace gordian {

using WaitReasons = google::protobuf::RepeatedPtrField<pb::WaitReason>;

// Of the edge from -> to. Objects beyond the heaviest eight of a reason, and those below half a
// percent of the edge, are left out.
void PutReasons(const StackSums& sums, const Code& code, const WaitThings& things,
                const VertexNames& names, uint32_t from, uint32_t to, WaitReasons& out);

// "futex 93 %, epoll 7 %"; reasons below a percent are left out.
std::string ReasonsText(const WaitReasons& reasons);
// With the heaviest objects: "futex 93 % (futex 0x7f12a0: one lock, 16 threads), epoll 7 %".
std::string ReasonsAndObjectsText(const WaitReasons& reasons);
// A line for each object: "  90 %  futex 0x7f12a0: one lock, 16 threads".
std::string ObjectLines(const WaitReasons& reasons);
// Null if no object is known.
const pb::WaitObject* HeaviestObject(const WaitReasons& reasons);
// The heaviest object, else the heaviest reason, in few words; empty if neither is known.
std::string ShortReasonText(const WaitReasons& reasons);
// The story with the object of its call: "fsync ← Commit" becomes "fsync of /var/wal.log ← Commit"
// if the edge's waits are mostly for that file.
std::string StoryWithObject(std::string story, const WaitReasons& reasons);

}  // namespace gordian
