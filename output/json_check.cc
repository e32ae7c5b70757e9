// SPDX-License-Identifier: Apache-2.0
#include "output/json_check.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace gordian {
namespace {

constexpr int kMostDeep = 64;

// Goes on as long as it answers true.
struct DepthLimit : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, DepthLimit> {
  int depth = 0;
  bool StartObject() { return ++depth <= kMostDeep; }
  bool StartArray() { return ++depth <= kMostDeep; }
  bool EndObject(rapidjson::SizeType /*members*/) { return --depth >= 0; }
  bool EndArray(rapidjson::SizeType /*values*/) { return --depth >= 0; }
};

}  // namespace

bool IsJson(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  DepthLimit handler;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  // A zero byte ends the stream, too.
  return !reader.Parse<kFlags>(stream, handler).IsError() && stream.Tell() == text.size();
}

}  // namespace gordian
