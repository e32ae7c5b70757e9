// SPDX-License-Identifier: Apache-2.0
// Messages of schema/near.proto in few bytes: what a slice of everything moves is mostly lists of
// times and numbers, which differ little from record to record.
//
// Each list of flat records is told as columns, and each column as differences: from the record
// before, or from the column before, whichever takes less. All of it is one zstd frame. All other
// fields stay as they are, so any message can be packed, and fields can be added.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace gordian {

// Nothing if that is no shorter than the message as it is, or more than `most_bytes` behind the
// frame.
std::optional<std::string> Packed(const google::protobuf::Message& message, size_t most_bytes);

// DataLoss if it is none of that kind of message, or more than `most_bytes` behind the frame. Each
// record takes a byte of these at least, so what a stranger sent takes as much memory as a message
// of some such length may. Lists that this version does not know are left out.
absl::Status Unpack(std::string_view packed, size_t most_bytes, google::protobuf::Message& message);

}  // namespace gordian
