// SPDX-License-Identifier: Apache-2.0
// Writes JSON, for any bytes in the strings.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gordian {

class JsonWriter {
 public:
  JsonWriter() : writer_(buffer_) {}

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view name);
  // Bytes of `value` that are no UTF-8 become U+FFFD.
  JsonWriter& String(std::string_view value);
  JsonWriter& Number(uint64_t value);
  JsonWriter& Signed(int64_t value);
  JsonWriter& Real(double value);  // null if it is not finite
  JsonWriter& Bool(bool value);

  // A member of an object.
  JsonWriter& String(std::string_view key, std::string_view value) {
    return Key(key).String(value);
  }
  JsonWriter& Number(std::string_view key, uint64_t value) { return Key(key).Number(value); }
  JsonWriter& Signed(std::string_view key, int64_t value) { return Key(key).Signed(value); }
  JsonWriter& Real(std::string_view key, double value) { return Key(key).Real(value); }
  JsonWriter& Bool(std::string_view key, bool value) { return Key(key).Bool(value); }

  // The text so far, valid until the next call.
  std::string_view text() const { return {buffer_.GetString(), buffer_.GetSize()}; }
  // Begins a new text in the same memory.
  void Reset();

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

}  // namespace gordian
