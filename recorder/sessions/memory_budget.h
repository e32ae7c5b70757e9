// SPDX-License-Identifier: Apache-2.0
// Whether a new session's memory still fits under the limit of the service.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "recorder/recording/recording.h"
#include "recorder/sources/memory_limit.h"

namespace gordian {

// The memory of a session on a machine of `cpus` CPUs, by generous estimate: its kernel rings, the
// tables beside them, and their drain.
uint64_t SessionMemoryBytes(const RecordingOptions& options, uint32_t cpus);

// Refuses (ResourceExhausted) a session that would need `needed_bytes` beside the
// `starting_bytes` of those that are being started. Some is always left alone: at its limit the
// kernel kills the daemon, and with it every session.
absl::Status AdmitMemory(const std::optional<MemoryLimit>& limit, uint64_t starting_bytes,
                         uint64_t needed_bytes);

}  // namespace gordian
