// SPDX-License-Identifier: Apache-2.0
#include "output/json_writer.h"

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>

#include <algorithm>
#include <cmath>

namespace gordian {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return byte >= 0; });
}

// Ends: each turn takes at least one byte.
std::string ToUtf8(std::string_view bytes) {
  std::string text;
  rapidjson::MemoryStream in(bytes.data(), bytes.size());
  rapidjson::StringBuffer unused;
  while (in.src_ != in.end_) {
    const char* start = in.src_;
    if (rapidjson::UTF8<>::Validate(in, unused)) {
      text.append(start, in.src_);
    } else {
      text.append(kReplacement);
      in.src_ = start + 1;
    }
    unused.Clear();
  }
  return text;
}

rapidjson::SizeType Size(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

JsonWriter& JsonWriter::BeginObject() {
  writer_.StartObject();
  return *this;
}

JsonWriter& JsonWriter::EndObject() {
  writer_.EndObject();
  return *this;
}

JsonWriter& JsonWriter::BeginArray() {
  writer_.StartArray();
  return *this;
}

JsonWriter& JsonWriter::EndArray() {
  writer_.EndArray();
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view name) {
  writer_.Key(name.data(), Size(name));
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  if (IsAscii(value)) {
    writer_.String(value.data(), Size(value));
  } else {
    const std::string text = ToUtf8(value);
    writer_.String(text.data(), Size(text));
  }
  return *this;
}

JsonWriter& JsonWriter::Number(uint64_t value) {
  writer_.Uint64(value);
  return *this;
}

JsonWriter& JsonWriter::Signed(int64_t value) {
  writer_.Int64(value);
  return *this;
}

JsonWriter& JsonWriter::Real(double value) {
  if (std::isfinite(value)) {
    writer_.Double(value);
  } else {
    writer_.Null();
  }
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  writer_.Bool(value);
  return *this;
}

void JsonWriter::Reset() {
  buffer_.Clear();
  writer_.Reset(buffer_);
}

}  // namespace gordian
