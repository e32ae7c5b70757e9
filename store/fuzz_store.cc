// SPDX-License-Identifier: Apache-2.0
// libFuzzer: with any bytes in an entry's file, its reader neither crashes nor takes memory without
// bounds, and what it gives out has the hash that the table tells. Run: scripts/fuzz [SECONDS]
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "store/entry_format.h"
#include "store/fuzz_store_inputs.h"
#include "store/store_folder.h"
#include "store/stored_entry_impl.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string FileWithTable(std::string_view table) {
  const uint64_t offset = (1 + kStoreInputPages) * PageBytes();
  const auto header = EncodeHeader(offset, table);
  std::string file(reinterpret_cast<const char*>(header.data()), header.size());
  file.resize(offset, 'c');
  return file.append(table);
}

// The kernel keeps the file's memory from one input to the next.
FileHandle FileOf(std::string_view bytes) {
  FileHandle file(::memfd_create("entry", MFD_CLOEXEC));
  Require(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  return file;
}

void RequireTrue(const StoredSection& section, std::span<const std::byte> bytes) {
  Require(bytes.size() == section.bytes);
  for (size_t i = 0; i < section.chunks.size(); ++i)
    Require(ContentHash(bytes.subspan(i * kChunkBytes, ChunkBytes(bytes.size(), i))) ==
            section.chunks[i].hash);
}

void TryFile(std::string_view bytes) {
  FileHandle file = FileOf(bytes);
  absl::StatusOr<EntryTable> table = ReadEntryTable(file);
  if (!table.ok()) return Require(!table.status().message().empty());
  // A table says everything in one way.
  Require(bytes.ends_with(EncodeTable(*table)));
  // Without a folder, from which a damaged entry would go.
  auto folder = std::make_shared<StoreFolder>(FileHandle(), "", StoreLimits(), 1);
  const EntryTable told = *table;
  StoredEntry entry(
      std::make_unique<StoredEntry::Impl>(folder, "entry", std::move(file), *std::move(table)));
  for (const StoredSection& section : told.sections) {
    Require(entry.Part(section.name, 0, section.bytes / 2).status().code() !=
            absl::StatusCode::kNotFound);
    const auto read = entry.Section(section.name);
    if (read.ok()) RequireTrue(section, *read);
    if (const auto values = entry.MutableColumn<uint64_t>(section.name);
        values.ok() && !values->empty())
      values->back() ^= 1;
  }
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (static_cast<gordian::StoreInput>(data[0])) {
    case gordian::StoreInput::kFile:
      gordian::TryFile(rest);
      break;
    case gordian::StoreInput::kTable:
      gordian::TryFile(gordian::FileWithTable(rest));
      break;
  }
  return 0;
}
