// SPDX-License-Identifier: Apache-2.0
// Resource samples from another source: CSV (RFC 4180) with a line of titles.
//
//   time,resource,value,capacity,node
//
// in any order; capacity and node may be missing, as columns or here and there. A value is the
// average since the same resource's line before. `resource` is a type, or type/instance: disk/sda.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "jobs/sources/log_reader.h"

namespace gordian {

// InvalidArgument if the first line does not have the titles; other lines that make no sense are
// counted.
absl::Status ReadResourceCsv(const std::string& path, const std::string& zone, LogSinks& sinks);

}  // namespace gordian
