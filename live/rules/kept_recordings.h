// SPDX-License-Identifier: Apache-2.0
// The recordings that rules kept: a folder with a folder for each, TIME-RULE, as
// 20261124T030501Z-slow. Each is a recording as others are, with the frame of its rule as
// frame.json. Beyond a number or a size the oldest go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gordian {

// Cuts the last `length_ns` before a frame's end into the folder `into`, which it makes. Whatever
// an error leaves there is removed.
using CutLast = std::function<absl::Status(uint64_t length_ns, const std::string& into)>;

struct KeptLimits {
  size_t most = 20;
  uint64_t most_bytes = uint64_t{4} << 30;
};

struct KeepRequest {
  std::string rule;
  std::string at;   // RFC 3339; empty: not known
  double to_s = 0;  // the frame's end, since the recording's start
  uint64_t length_ns = 0;
  CutLast cut;
  std::string frame_json;
};

class KeptRecordings {
 public:
  KeptRecordings(std::string directory, KeptLimits limits);

  // Makes the folder if it is not there, and removes what an earlier run left unfinished in it. An
  // error: nothing can be written there.
  absl::Status Open();
  // Its path. It appears in one step, when it is whole. The newest stays, however large it is.
  absl::StatusOr<std::string> Keep(const KeepRequest& request);

 private:
  absl::Status FillFolder(const KeepRequest& request, const std::string& folder) const;
  absl::Status MakeRoom(const std::string& newest) const;

  std::string directory_;
  KeptLimits limits_;
};

}  // namespace gordian
