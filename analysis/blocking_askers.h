// SPDX-License-Identifier: Apache-2.0
// Workers that each wait in a call for their one answer: there are as many requests under way as
// workers, and only more of these send more.
#pragma once

#include <cstddef>
#include <functional>

#include "schema/report.pb.h"

namespace gordian {

// How many threads ask there; the report has them among others of their name.
using AskersOfWay = std::function<size_t(const pb::RequestsLetThrough& way)>;

// Findings that ask such workers to have more requests under way ask for more workers, one for each
// request that waits. Where there are more workers than requests under way (they share a pool of
// connections), they ask for no more than the workers can send. The report must have its code: it
// tells a call that waits for its answer from an event loop.
void AskForMoreBlockingAskers(pb::Report& report, const AskersOfWay& askers_of_way);

}  // namespace gordian
