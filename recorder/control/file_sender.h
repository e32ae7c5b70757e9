// SPDX-License-Identifier: Apache-2.0
// Sends a file in parts, and at last the checksum of all of it.
#pragma once

#include <grpcpp/server_context.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "base/file_descriptor.h"
#include "recorder/control/rate_limit.h"
#include "schema/control.pb.h"

namespace gordian {

// Takes one part; false once the receiver has gone.
using SendPart = std::function<bool(const pb::FetchPart&)>;

// From `offset` on. The part before it is read, too: the checksum is the whole file's, so that a
// receiver that goes on with half a file learns whether that half was right.
absl::Status SendFile(const grpc::ServerContext& context, const FileDescriptor& file,
                      uint64_t offset, RateLimit& rate, const SendPart& send);

}  // namespace gordian
