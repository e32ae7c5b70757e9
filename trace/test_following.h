// SPDX-License-Identifier: Apache-2.0
// What tests write into a session's folder that somebody follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/session.pb.h"
#include "trace/segment_name.h"

namespace gordian {

constexpr StreamId kCpu0{BlockKind::kEvents, 0};

void AppendTo(const std::string& path, const std::string& bytes);
// A block of switches at these times.
std::string EncodedSwitches(StreamId stream, uint64_t sequence,
                            const std::vector<uint64_t>& times_ns);
pb::Session Description(uint64_t complete_until_ns, uint64_t ring_bytes = 0);

}  // namespace gordian
