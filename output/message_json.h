// SPDX-License-Identifier: Apache-2.0
// Messages as JSON, the way every verb writes it.
//
// It is proto3's JSON with the names of the .proto files, and easier for scripts: every field is
// there, empty, zero or null; 64-bit counts are numbers, not strings; a number that is not finite
// (a division by zero) is null. Any proto3 parser reads it back.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <string>
#include <string_view>

namespace gordian {

enum class JsonShape {
  kPretty,   // for files: one field a line
  kCompact,  // for embedding
};

std::string MessageJson(const google::protobuf::Message& message, JsonShape shape);
// The same, piece by piece: of a hundred thousand threads it is larger than the message.
void WriteMessageJson(const google::protobuf::Message& message, JsonShape shape,
                      const std::function<void(std::string_view)>& sink);

}  // namespace gordian
