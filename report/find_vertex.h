// SPDX-License-Identifier: Apache-2.0
// The vertex of a report that a name means.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "schema/report.pb.h"

namespace gordian {

// The one vertex of that name, or the one of them in the report's scope. NotFound if there is none,
// InvalidArgument if there are several.
absl::StatusOr<uint32_t> FindVertex(const pb::Report& report, std::string_view name);

}  // namespace gordian
