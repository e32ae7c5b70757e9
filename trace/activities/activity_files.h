// SPDX-License-Identifier: Apache-2.0
// The files of an imported activity graph's folder (FORMAT.md).
#pragma once

#include <string>
#include <string_view>

namespace gordian {

inline constexpr std::string_view kActivityHeaderName = "activities.pb";
inline constexpr std::string_view kActivityTraceName = "activities.trace";

// Whether `directory` holds an activity graph rather than a recording.
bool IsActivityGraph(const std::string& directory);

}  // namespace gordian
