// SPDX-License-Identifier: Apache-2.0
// Small probe files as a library writes them, twice each: the second half is their later contents.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "probe/gordian_probe_layout.h"

namespace {

template <typename Value>
void Append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

gordian_probe_record Record(uint8_t kind, const std::string& name, const std::string& key) {
  gordian_probe_record record{};
  record.time_ns = 5000;
  record.value = 7;
  record.tid = 10;
  record.kind = kind;
  record.name_bytes = static_cast<uint8_t>(name.size());
  record.key_bytes = static_cast<uint8_t>(key.size());
  std::memcpy(record.text, (name + key).data(), name.size() + key.size());
  return record;
}

std::string File(uint64_t words) {
  gordian_probe_header header{};
  header.magic = GORDIAN_PROBE_MAGIC;
  header.version = GORDIAN_PROBE_VERSION;
  header.header_bytes = GORDIAN_PROBE_HEADER_BYTES;
  header.rings = 2;
  header.records_per_ring = 4;
  header.record_bytes = sizeof(gordian_probe_record);
  header.pid = 10;
  header.created_ns = 2000;
  std::string bytes;
  Append(bytes, header);
  for (int ring = 0; ring < 2; ++ring) {
    gordian_probe_ring state{};
    state.begun = state.ended = words;
    state.owner = 10;
    Append(bytes, state);
  }
  for (int ring = 0; ring < 2; ++ring) {
    Append(bytes, Record(1, "", ""));
    Append(bytes, Record(7, "load", "part 1"));
    Append(bytes, Record(8, "", ""));
    Append(bytes, Record(9, "rows", ""));
  }
  // The same bytes again stand at the rings then, where the header's are read as counts.
  return bytes + bytes.substr(GORDIAN_PROBE_HEADER_BYTES) +
         std::string(GORDIAN_PROBE_HEADER_BYTES, '\0');
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const uint64_t words : {0, 3, 4, 9}) {
    std::ofstream(std::string(argv[1]) + "/words-" + std::to_string(words), std::ios::binary)
        << File(words);
  }
  return 0;
}
