// SPDX-License-Identifier: Apache-2.0
// How Store makes a StoredEntry.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/entry_format.h"
#include "store/mapping.h"
#include "store/store_folder.h"
#include "store/stored_entry.h"
#include "trace/file_io.h"

namespace gordian {

struct StoredEntry::Impl {
  // What was asked for of a section so far.
  struct Seen {
    FileMapping mapping;
    bool is_mapped = false;
    bool is_changed = false;    // somebody may write to the mapping
    std::vector<bool> checked;  // by chunk
  };

  Impl(std::shared_ptr<StoreFolder> store_folder, std::string file_name, FileHandle entry_file,
       EntryTable entry_table)
      : folder(std::move(store_folder)),
        name(std::move(file_name)),
        file(std::move(entry_file)),
        table(std::move(entry_table)),
        bytes_mapped_at_once(BytesMappedAtOnce()),
        seen(table.sections.size()) {}

  // Maps it, if need be, and checks the chunks from `first` up to `end`.
  absl::Status Provide(size_t index, size_t first, size_t end);
  absl::Status Check(const StoredSection& section, const std::vector<size_t>& chunks) const;
  absl::Status Damaged(std::string_view section);
  absl::StatusOr<FileMapping> MappingOf(const StoredSection& section);
  // Of the file, if all of it is mapped at once; else 0.
  uint64_t BytesMappedAtOnce() const;
  // Checks all sections of one chunk with few reads. Those that are damaged stay unchecked.
  void CheckAllAtOnce();

  const std::shared_ptr<StoreFolder> folder;
  const std::string name;
  const FileHandle file;  // held: as long as it is open, the entry does not give way
  const EntryTable table;
  const uint64_t bytes_mapped_at_once;
  FileMapping whole;       // if all of it is mapped at once
  std::vector<Seen> seen;  // as the table's sections
  bool is_gone = false;    // counted and removed as damaged
};

}  // namespace gordian
