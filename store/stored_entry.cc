// SPDX-License-Identifier: Apache-2.0
#include "store/stored_entry.h"

#include <google/protobuf/message_lite.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "store/stored_entry_impl.h"

namespace gordian {
namespace {

// Larger entries have sections that are worth a mapping each.
constexpr uint64_t kMostMappedAtOnceBytes = 1 << 20;

}  // namespace

absl::StatusOr<size_t> StoredEntry::Impl::Find(std::string_view section) const {
  for (size_t i = 0; i < table.sections.size(); ++i)
    if (table.sections[i].name == section) return i;
  return absl::NotFoundError(absl::StrCat("a kept analysis has no section ", std::string(section)));
}

absl::Status StoredEntry::Impl::Damaged(std::string_view section) {
  if (!std::exchange(is_gone, true)) folder->RemoveDamaged(name, file);
  return absl::DataLossError(
      absl::StrCat("the section ", std::string(section), " of a kept analysis is damaged"));
}

absl::Status StoredEntry::Impl::Check(const StoredSection& section,
                                      const std::vector<size_t>& chunks) const {
  std::vector<std::vector<uint8_t>> scratches(static_cast<size_t>(folder->threads()));
  std::atomic<bool> is_whole = true;
  ParallelFor(folder->threads(), chunks.size(), [&](size_t i, int worker) {
    if (!is_whole) return;
    const StoredChunk& chunk = section.chunks[chunks[i]];
    const absl::StatusOr<uint64_t> hash =
        HashOfFile(file, chunk.offset, ChunkBytes(section.bytes, chunks[i]),
                   scratches[static_cast<size_t>(worker)]);
    if (!hash.ok() || *hash != chunk.hash) is_whole = false;
  });
  return is_whole ? absl::OkStatus() : absl::DataLossError("a hash differs");
}

// Sections of a small entry are parts of one mapping: a dozen of a few pages each would cost more
// than what is in them.
absl::StatusOr<FileMapping> StoredEntry::Impl::MappingOf(const StoredSection& section) {
  uint64_t end_bytes = 0;
  for (const StoredSection& other : table.sections) {
    if (other.chunks.empty()) continue;
    const uint64_t last_bytes = ChunkBytes(other.bytes, other.chunks.size() - 1);
    end_bytes = std::max(end_bytes, other.chunks.back().offset + last_bytes);
  }
  if (end_bytes > kMostMappedAtOnceBytes || section.chunks.size() != 1)
    return FileMapping::OfSection(file, section);
  if (whole.bytes().empty()) {
    absl::StatusOr<FileMapping> mapping = FileMapping::OfBeginning(file, end_bytes);
    if (!mapping.ok()) return mapping.status();
    whole = *std::move(mapping);
  }
  return whole.Part(section.chunks.front().offset, section.bytes);
}

absl::Status StoredEntry::Impl::Provide(size_t index, size_t first, size_t end) {
  const StoredSection& section = table.sections[index];
  Seen& state = seen[index];
  if (!state.is_mapped) {
    absl::StatusOr<FileMapping> mapping = MappingOf(section);
    if (!mapping.ok()) return mapping.status();
    state.mapping = *std::move(mapping);
    state.is_mapped = true;
    state.checked.resize(section.chunks.size());
  }
  std::vector<size_t> chunks;
  for (size_t i = first; i < end; ++i)
    if (!state.checked[i]) chunks.push_back(i);
  if (absl::Status status = Check(section, chunks); !status.ok()) return Damaged(section.name);
  for (const size_t chunk : chunks) state.checked[chunk] = true;
  return absl::OkStatus();
}

StoredEntry::StoredEntry(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoredEntry::StoredEntry(StoredEntry&& other) noexcept = default;
StoredEntry& StoredEntry::operator=(StoredEntry&& other) noexcept = default;
StoredEntry::~StoredEntry() = default;

bool StoredEntry::Has(std::string_view section) const { return impl_->Find(section).ok(); }

std::vector<std::string> StoredEntry::Sections() const {
  std::vector<std::string> names;
  for (const StoredSection& section : impl_->table.sections) names.push_back(section.name);
  return names;
}

absl::StatusOr<uint64_t> StoredEntry::SectionBytes(std::string_view section) const {
  const absl::StatusOr<size_t> index = impl_->Find(section);
  if (!index.ok()) return index.status();
  return impl_->table.sections[*index].bytes;
}

absl::StatusOr<std::span<const std::byte>> StoredEntry::Section(std::string_view section) {
  const absl::StatusOr<uint64_t> bytes = SectionBytes(section);
  if (!bytes.ok()) return bytes.status();
  return Part(section, 0, *bytes);
}

absl::StatusOr<std::span<const std::byte>> StoredEntry::Part(std::string_view section,
                                                             uint64_t offset, uint64_t bytes) {
  const absl::StatusOr<size_t> index = impl_->Find(section);
  if (!index.ok()) return index.status();
  const uint64_t section_bytes = impl_->table.sections[*index].bytes;
  if (offset > section_bytes || bytes > section_bytes - offset)
    return absl::OutOfRangeError(absl::StrCat("the section ", std::string(section), " is shorter"));
  const size_t first = offset / kChunkBytes;
  const size_t end = bytes == 0 ? first : (offset + bytes - 1) / kChunkBytes + 1;
  if (absl::Status status = impl_->Provide(*index, first, end); !status.ok()) return status;
  return std::span<const std::byte>(impl_->seen[*index].mapping.bytes().subspan(offset, bytes));
}

absl::StatusOr<std::span<std::byte>> StoredEntry::MutableSection(std::string_view section) {
  const absl::StatusOr<size_t> index = impl_->Find(section);
  if (!index.ok()) return index.status();
  const size_t chunks = impl_->table.sections[*index].chunks.size();
  if (absl::Status status = impl_->Provide(*index, 0, chunks); !status.ok()) return status;
  FileMapping& mapping = impl_->seen[*index].mapping;
  impl_->is_changed = true;
  if (absl::Status status = mapping.MakeWritable(); !status.ok()) return status;
  return mapping.bytes();
}

std::vector<std::span<const std::byte>> StoredEntry::Mapped() const {
  std::vector<std::span<const std::byte>> mapped;
  if (impl_->is_changed) return mapped;
  const auto add = [&](const FileMapping& mapping) {
    if (!mapping.bytes().empty() && !mapping.is_part()) mapped.push_back(mapping.bytes());
  };
  add(impl_->whole);
  for (const Impl::Seen& section : impl_->seen) add(section.mapping);
  return mapped;
}

absl::Status StoredEntry::CheckValues(std::string_view section, size_t value_bytes) {
  const absl::StatusOr<uint64_t> bytes = SectionBytes(section);
  if (!bytes.ok()) return bytes.status();
  return *bytes % value_bytes == 0 ? absl::OkStatus() : impl_->Damaged(section);
}

absl::Status StoredEntry::Message(std::string_view section,
                                  google::protobuf::MessageLite& message) {
  const auto bytes = Section(section);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() > INT_MAX ||
      !message.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
    return impl_->Damaged(section);
  return absl::OkStatus();
}

}  // namespace gordian
