// SPDX-License-Identifier: Apache-2.0
// Small binary traces for tests and fuzzers, by the documented layouts: two threads, 7 and 8, of
// which 7 wakes 8 and then waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/kernel/unpack.h"
#include "schema/ftrace.pb.h"

namespace gordian::testing {

class FileBytes {
 public:
  template <typename Number>
  FileBytes& Put(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  FileBytes& Text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  // Cut or filled with zero bytes.
  FileBytes& Text(std::string text, size_t size) {
    text.resize(size);
    return Text(text);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::vector<std::string> EventFormats();
// The description that perf.data and trace.dat hold.
std::string TracingDescription();
// Records of its events.
std::string RawSwitch(int32_t prev, uint64_t state, int32_t next);
std::string RawWaking(int32_t current, uint8_t flags, int32_t wakee);

std::string SmallPerfData();
// Its records as one stream of zstd, in pieces of so many bytes, each a record.
std::string PackedPerfData(size_t piece_bytes);

// Of version 6 or 7.
std::string SmallTraceDat(int version);
// Of version 7, with compressed sections.
std::string PackedTraceDat(PackedBy by);

// By zlib (as a stream of its own, without gzip's head) or zstd.
std::string Packed(PackedBy by, const std::string& bytes);

std::string PerfettoPacket(const ftrace::TracePacket& packet);
std::string SmallPerfettoTrace();

}  // namespace gordian::testing
