// SPDX-License-Identifier: Apache-2.0
// Recordings made of any bytes, for the fuzzers of the analysis.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "trace/session_reader.h"

namespace gordian {

// Each byte tells one thing: the thread of a switch, wake, request …, the CPU, or how much later.
// So nearly all bytes are a recording, if an absurd one; the reader's own fuzzer
// (trace/fuzz_session_reader.cc) breaks the bytes of files. The last byte chooses a block to leave
// out. Not for no bytes.
std::unique_ptr<SessionReader> RecordingOfBytes(std::span<const uint8_t> bytes);

}  // namespace gordian
