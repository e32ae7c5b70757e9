// SPDX-License-Identifier: Apache-2.0
// Writes the inputs that fuzz_store starts from.
// usage: fuzz_store_seeds DIRECTORY
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "store/entry_format.h"
#include "store/fuzz_store_inputs.h"

namespace gordian {
namespace {

void WriteSeed(const std::string& path, StoreInput choice, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << static_cast<char>(choice) << bytes;
}

// Sections of the content that fuzz_store puts in front of a table: all 'c'.
EntryTable TableOfSections() {
  EntryTable table;
  table.key = {.recording = "0123", .stage = "timeline", .format = 1, .options = "--from 1s"};
  table.recording_path = "/recordings/one";
  table.stored_realtime_ns = 1'800'000'000'000'000'000;
  uint64_t offset = PageBytes();
  for (const uint64_t bytes : {uint64_t{10}, uint64_t{64}, PageBytes(), uint64_t{0}}) {
    const std::string content(bytes, 'c');
    StoredSection& section = table.sections.emplace_back();
    section.name = "s" + std::to_string(bytes);
    section.bytes = bytes;
    if (bytes == 0) continue;
    section.chunks = {{offset, ContentHash(std::as_bytes(std::span(content)))}};
    offset += RoundUpToPage(bytes);
  }
  return table;
}

void WriteSeeds(const std::string& directory) {
  EntryTable table = TableOfSections();
  const std::string whole = EncodeTable(table);
  WriteSeed(directory + "/table", StoreInput::kTable, whole);
  table.sections[1].chunks[0] = table.sections[0].chunks[0];
  WriteSeed(directory + "/overlap", StoreInput::kTable, EncodeTable(table));
  table.sections.clear();
  WriteSeed(directory + "/empty", StoreInput::kTable, EncodeTable(table));
  const auto header = EncodeHeader(PageBytes(), EncodeTable(table));
  std::string file(reinterpret_cast<const char*>(header.data()), header.size());
  file.resize(PageBytes());
  WriteSeed(directory + "/file", StoreInput::kFile, file + EncodeTable(table));
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_store_seeds DIRECTORY\n");
    return EXIT_FAILURE;
  }
  gordian::WriteSeeds(argv[1]);
  return EXIT_SUCCESS;
}
