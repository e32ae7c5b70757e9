// SPDX-License-Identifier: Apache-2.0
// How a StoreWriter writes: chunk after chunk at the end of the file, whichever section each is of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/entry_format.h"
#include "store/mapping.h"
#include "store/store_folder.h"
#include "store/store_writer.h"
#include "trace/file_io.h"

namespace gordian {

struct GrowingSection::State {
  StoreWriter::Impl* writer;
  StoredSection section;
  std::vector<std::byte> tail;  // less than a chunk
  FileMapping mapping;          // of a mapped section
};

struct StoreWriter::Impl {
  static absl::StatusOr<std::unique_ptr<Impl>> Begin(std::shared_ptr<StoreFolder> folder,
                                                     const StoreKey& key,
                                                     const std::string& recording_path,
                                                     uint64_t expected_bytes);
  ~Impl();

  GrowingSection::State* AddSection(std::string_view name);
  void Append(GrowingSection::State& state, std::span<const std::byte> bytes);
  absl::StatusOr<std::span<std::byte>> MapSection(GrowingSection::State& state, uint64_t bytes);
  absl::Status Commit();

  absl::Status status() const;
  // Keeps the first failure. Returns it.
  absl::Status Fail(absl::Status status);

  // A place for a chunk, which is noted in the section.
  absl::StatusOr<uint64_t> TakeChunk(StoredSection& section, std::span<const std::byte> bytes);
  // … and written.
  absl::Status WriteChunk(StoredSection& section, std::span<const std::byte> bytes);
  // A stretch of the file of its own, whose beginning is returned.
  absl::StatusOr<uint64_t> Take(uint64_t bytes);
  absl::Status HashMappedSections();
  absl::Status Finish();

  std::shared_ptr<StoreFolder> folder;
  uint64_t largest_file_bytes = 0;  // that this process may write
  EntryTable table;                 // without its sections
  std::string aside;
  FileHandle file;

  mutable std::mutex mutex;                    // guards all below
  absl::Status failure;                        // the first
  bool is_aside = true;                        // there is a file of that name
  uint64_t end_bytes = 0;                      // of the file; the beginning of a page
  uint64_t room_bytes = 0;                     // beyond that, made free
  std::string prefix;                          // of names of sections
  std::deque<GrowingSection::State> sections;  // their addresses stay
};

}  // namespace gordian
