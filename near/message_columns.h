// SPDX-License-Identifier: Apache-2.0
// Lists of flat records in a message, as columns. Inner to the room: packed_message.h is for
// others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace gordian {

// Takes the lists out of the message and appends them to `columns`. Lists of numbers are such
// lists, too.
void TakeColumns(google::protobuf::Message& message, std::string& columns);
// Adds them again.
absl::Status AddColumns(std::string_view columns, google::protobuf::Message& message);

}  // namespace gordian
