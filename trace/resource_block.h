// SPDX-License-Identifier: Apache-2.0
// One block of resources.trace.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "schema/trace.pb.h"
#include "trace/block_decoder.h"
#include "trace/file_io.h"
#include "trace/segment_scan.h"

namespace gordian {

// DataLoss if it does not check. `path` is the file's, for errors.
absl::StatusOr<pb::ResourceBlock> ReadResourceBlock(const FileHandle& file, const std::string& path,
                                                    const FoundBlock& block, BlockDecoder& decoder);

}  // namespace gordian
