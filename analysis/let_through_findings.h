// SPDX-License-Identifier: Apache-2.0
// Programs that let only so many requests at once go on to another server, told in the findings
// that their waiting causes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "requests/let_through.h"
#include "requests/requests.h"
#include "schema/report.pb.h"

namespace gordian {

// Threads wait for a server, and it sleeps or is idle: the graph cannot tell why nobody gives it
// more to do. Where requests stand in the asking program meanwhile, while the number under way is
// always the same, that number is the limit: the finding's title says so, and its fix is a larger
// number. A finding about threads of a program whose clients are not seen gets the number added.
//
// Not told: where the server works on one request after the other, so that more of them would only
// wait there instead; and in findings of any other kind (work, CPUs, disks).
void TellLetThrough(const FoundRequests& found, const RequestWalk& walk,
                    std::span<const LetThrough> let_through,
                    const std::vector<uint32_t>& vertex_of_entity, pb::Report& report);

// Where the report has no limit: a narrow way of the target's own is one, likely. Its threads
// hardly run, so what they wait for looks like a pool's that has nothing to do; but a server works
// for them at every moment.
void TellNarrowWay(const FoundRequests& found, std::span<const LetThrough> let_through,
                   const std::vector<uint32_t>& vertex_of_entity, pb::Report& report);

// Where few threads keep many requests under way (goroutines, tasks, an event loop) and wait for
// each other: as many are under way nearly all the time to a server that mostly sleeps, so by
// Little's law what the threads do between two of them hardly counts. The number is the limit then.
void TellFullWay(const FoundRequests& found, std::span<const LetThrough> let_through,
                 const std::vector<uint32_t>& vertex_of_entity, pb::Report& report);

// How many threads ask on the way that a finding tells of; 0 if it is none of these.
size_t AskersOf(const pb::RequestsLetThrough& told, std::span<const LetThrough> let_through);

}  // namespace gordian
