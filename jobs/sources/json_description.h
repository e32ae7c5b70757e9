// SPDX-License-Identifier: Apache-2.0
// What stands in a line of JSON, for messages about what does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gordian {

// "; it is null", "; it is an object", "; the line has duration", or the fields that the line has:
// the end of a sentence that says that field `name` is not there.
std::string DescribeJsonField(std::string_view line, const std::string& name);

struct JsonValue {
  std::string path;    // "Stage Info.Stage ID"
  std::string text;    // as JsonFields gives it; of an object or null the words for it
  bool there = false;  // it is a text, a number, true or false
  bool in_array = false;
};
// Every value in the line, in its order, up to where it is no JSON; at most a thousand.
std::vector<JsonValue> ListJson(std::string_view line);

}  // namespace gordian
