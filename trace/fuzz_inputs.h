// SPDX-License-Identifier: Apache-2.0
// The kinds of input to fuzz_session_reader; the first byte chooses one for the rest.
#pragma once

#include <cstdint>

namespace gordian {

enum class FuzzInput : uint8_t {
  kSegment = 0,    // the file of a CPU
  kEvents = 1,     // a pb::EventBlock, around which header and frame are put
  kResources = 2,  // a pb::ResourceBlock, likewise
  kSession = 3,    // session.pb
};

}  // namespace gordian
