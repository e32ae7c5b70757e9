// SPDX-License-Identifier: Apache-2.0
// The containers of threads, by their cgroups.
#pragma once

#include <vector>

#include "analyzer/model/model.h"
#include "schema/session.pb.h"

namespace gordian {

void NameContainers(const pb::Session& session, std::vector<Entity>& entities);

}  // namespace gordian
