// SPDX-License-Identifier: Apache-2.0
// Output of the daemon's sessions: lines, tables and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/control.pb.h"

namespace gordian {

using SessionStatuses = google::protobuf::RepeatedPtrField<pb::SessionStatus>;

// web: 1,234 events in 12.3 s, 4.5 MiB, nothing lost
std::string SessionLine(const pb::SessionStatus& session);
// Running ones and those that ended by themselves.
std::string RunningTable(const SessionStatuses& sessions);
// Finished ones.
std::string FinishedTable(const SessionStatuses& sessions);

// One object, on lines of its own. Times in UTC, sizes in bytes, spans in nanoseconds.
std::string StatusJson(const pb::StatusResponse& response);
std::string ListJson(const pb::ListResponse& response);

}  // namespace gordian
