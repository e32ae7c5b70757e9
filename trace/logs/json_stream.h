// SPDX-License-Identifier: Apache-2.0
// A log's bytes as rapidjson wants them, and documents one after the other out of them. No document
// is ever held as a whole.
#pragma once

#include <rapidjson/reader.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "trace/logs/log_bytes.h"

namespace gordian {

// For handlers that get numbers as their text (kParseNumbersAsStringsFlag). rapidjson wants the
// functions for numbers all the same.
class NumbersAsText {
 public:
  bool Int(int /*value*/) { return false; }
  bool Uint(unsigned /*value*/) { return false; }
  bool Int64(int64_t /*value*/) { return false; }
  bool Uint64(uint64_t /*value*/) { return false; }
  bool Double(double /*value*/) { return false; }
};

// One byte at a time, with NUL at the end.
class JsonStream {
 public:
  using Ch = char;

  explicit JsonStream(LogBytes& bytes) : bytes_(bytes), buffer_(64u << 10) { Fill(); }

  Ch Peek() const { return at_ < held_ ? buffer_[at_] : '\0'; }
  Ch Take() {
    const Ch letter = Peek();
    if (at_ >= held_) return letter;
    if (letter == '\n') ++line_;
    ++total_;
    if (++at_ == held_) Fill();
    return letter;
  }
  size_t Tell() const { return total_; }
  // Only for streams that are parsed in place.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch /*letter*/) {}
  void Flush() {}
  size_t PutEnd(Ch* /*begin*/) { return 0; }

  bool at_end() const { return at_ >= held_; }
  uint64_t line() const { return line_; }
  const absl::Status& status() const { return status_; }

 private:
  void Fill() {
    at_ = held_ = 0;
    const auto got = bytes_.Read(buffer_);
    if (got.ok()) {
      held_ = *got;
    } else {
      status_ = got.status();
    }
  }

  LogBytes& bytes_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  size_t held_ = 0;
  size_t total_ = 0;
  uint64_t line_ = 1;
  absl::Status status_;
};

// Parses documents, with blanks between them, until the stream ends. `make_handler()` gives a new
// handler of rapidjson's events; `damaged(line)` hears of each document that is none, with the line
// on which it began. The next one may begin on the next line, if that returns OK.
// Ends: each turn takes at least one byte.
template <typename MakeHandler, typename Damaged>
absl::Status ParseJsonDocuments(JsonStream& stream, MakeHandler make_handler, Damaged damaged) {
  const auto is_blank = [](char letter) {
    return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
  };
  for (;;) {
    while (!stream.at_end() && is_blank(stream.Peek())) stream.Take();
    if (stream.at_end()) return stream.status();
    const uint64_t line = stream.line();
    rapidjson::Reader reader;
    auto handler = make_handler();
    constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                                rapidjson::kParseNumbersAsStringsFlag |
                                rapidjson::kParseStopWhenDoneFlag;
    if (!reader.Parse<kFlags>(stream, handler).IsError()) continue;
    if (!stream.status().ok()) return stream.status();
    if (absl::Status status = damaged(line); !status.ok()) return status;
    while (!stream.at_end() && stream.Take() != '\n') {
    }
  }
}

}  // namespace gordian
