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

// Larger entries have sections that are worth a mapping each, unless there are so many of them that
// each has but some pages.
constexpr uint64_t kMostMappedAtOnceBytes = 1 << 20;
constexpr uint64_t kFewBytesOfSection = 64 << 10;
// Read at a time to check several sections: as HashOfFile does for one.
constexpr uint64_t kReadAtOnceBytes = 256 << 10;

}  // namespace

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

uint64_t StoredEntry::Impl::BytesMappedAtOnce() const {
  uint64_t end_bytes = 0;
  for (const StoredSection& section : table.sections) {
    if (section.chunks.empty()) continue;
    const uint64_t last_bytes = ChunkBytes(section.bytes, section.chunks.size() - 1);
    end_bytes = std::max(end_bytes, section.chunks.back().offset + last_bytes);
  }
  const uint64_t most_bytes =
      std::max(kMostMappedAtOnceBytes, table.sections.size() * kFewBytesOfSection);
  return end_bytes <= most_bytes ? end_bytes : 0;
}

// Sections of a small entry are parts of one mapping: a dozen of a few pages each would cost more
// than what is in them.
absl::StatusOr<FileMapping> StoredEntry::Impl::MappingOf(const StoredSection& section) {
  if (bytes_mapped_at_once == 0 || section.chunks.size() != 1)
    return FileMapping::OfSection(file, section);
  if (whole.bytes().empty()) {
    absl::StatusOr<FileMapping> mapping = FileMapping::OfBeginning(file, bytes_mapped_at_once);
    if (!mapping.ok()) return mapping.status();
    whole = *std::move(mapping);
    CheckAllAtOnce();
  }
  return whole.Part(section.chunks.front().offset, section.bytes);
}

// A read for each of a dozen small sections would cost more than their hashes.
void StoredEntry::Impl::CheckAllAtOnce() {
  std::vector<uint8_t> read;
  uint64_t read_from = 0;
  for (size_t i = 0; i < table.sections.size(); ++i) {
    const StoredSection& section = table.sections[i];
    if (section.chunks.size() != 1 || section.bytes > kReadAtOnceBytes) continue;
    const uint64_t offset = section.chunks.front().offset;
    if (offset < read_from || offset + section.bytes > read_from + read.size()) {
      read_from = offset;
      read.resize(std::min(kReadAtOnceBytes, bytes_mapped_at_once - offset));
      const absl::StatusOr<size_t> got = ReadAt(file, read_from, read, "an entry");
      read.resize(got.value_or(0));
      if (read.size() < section.bytes) continue;
    }
    const auto bytes = std::as_bytes(std::span(read)).subspan(offset - read_from, section.bytes);
    seen[i].checked.assign(1, ContentHash(bytes) == section.chunks.front().hash);
  }
}

absl::Status StoredEntry::Impl::Provide(size_t index, size_t first, size_t end) {
  const StoredSection& section = table.sections[index];
  Seen& state = seen[index];
  if (!state.is_mapped) {
    absl::StatusOr<FileMapping> mapping = MappingOf(section);
    if (!mapping.ok()) return mapping.status();
    state.mapping = *std::move(mapping);
    state.is_mapped = true;
    state.checked.resize(section.chunks.size());  // some may have been checked with others
  }
  std::vector<size_t> chunks;
  for (size_t i = first; i < end; ++i)
    if (!state.checked[i]) chunks.push_back(i);
  if (absl::Status status = Check(section, chunks); !status.ok()) return Damaged(section.name);
  for (const size_t chunk : chunks) state.checked[chunk] = true;
  return absl::OkStatus();
}

StoredEntry::StoredEntry(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)), end_section_(impl_->table.sections.size()) {}
StoredEntry::StoredEntry(std::shared_ptr<Impl> impl, std::string prefix, size_t first, size_t end)
    : impl_(std::move(impl)),
      prefix_(std::move(prefix)),
      first_section_(first),
      end_section_(end) {}
StoredEntry::StoredEntry(StoredEntry&& other) noexcept = default;
StoredEntry& StoredEntry::operator=(StoredEntry&& other) noexcept = default;
StoredEntry::~StoredEntry() = default;

// Its sections were written one behind the other.
absl::StatusOr<StoredEntry> StoredEntry::Member(std::string_view name) const {
  std::string prefix = prefix_ + MemberPrefix(name);
  const std::vector<StoredSection>& sections = impl_->table.sections;
  size_t first = first_section_;
  while (first < end_section_ && !sections[first].name.starts_with(prefix)) ++first;
  size_t end = first;
  while (end < end_section_ && sections[end].name.starts_with(prefix)) ++end;
  if (first == end)
    return absl::NotFoundError(absl::StrCat("a kept analysis has no member ", std::string(name)));
  return StoredEntry(impl_, std::move(prefix), first, end);
}

absl::StatusOr<size_t> StoredEntry::PlaceOf(std::string_view section) const {
  for (size_t i = first_section_; i < end_section_; ++i) {
    const std::string_view name = impl_->table.sections[i].name;
    if (name.size() == prefix_.size() + section.size() && name.ends_with(section)) return i;
  }
  return absl::NotFoundError(absl::StrCat("a kept analysis has no section ", std::string(section)));
}

bool StoredEntry::Has(std::string_view section) const { return PlaceOf(section).ok(); }

std::vector<std::string> StoredEntry::Sections() const {
  std::vector<std::string> names;
  for (size_t i = first_section_; i < end_section_; ++i)
    names.push_back(impl_->table.sections[i].name.substr(prefix_.size()));
  return names;
}

absl::StatusOr<uint64_t> StoredEntry::SectionBytes(std::string_view section) const {
  const absl::StatusOr<size_t> index = PlaceOf(section);
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
  const absl::StatusOr<size_t> index = PlaceOf(section);
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
  const absl::StatusOr<size_t> index = PlaceOf(section);
  if (!index.ok()) return index.status();
  const size_t chunks = impl_->table.sections[*index].chunks.size();
  if (absl::Status status = impl_->Provide(*index, 0, chunks); !status.ok()) return status;
  FileMapping& mapping = impl_->seen[*index].mapping;
  impl_->seen[*index].is_changed = true;
  if (absl::Status status = mapping.MakeWritable(); !status.ok()) return status;
  return mapping.bytes();
}

std::vector<std::span<const std::byte>> StoredEntry::Mapped() const {
  std::vector<std::span<const std::byte>> mapped;
  std::span<const std::byte> of_whole;  // from its first section there to its last one
  for (size_t i = first_section_; i < end_section_; ++i) {
    const Impl::Seen& section = impl_->seen[i];
    if (section.is_changed) return {};
    const std::span<const std::byte> bytes = section.mapping.bytes();
    if (bytes.empty()) continue;
    if (!section.mapping.is_part()) {
      mapped.push_back(bytes);
    } else if (of_whole.empty()) {
      of_whole = bytes;
    } else {
      const std::byte* const begin = std::min(of_whole.data(), bytes.data());
      of_whole = {begin, std::max(of_whole.data() + of_whole.size(), bytes.data() + bytes.size())};
    }
  }
  if (!of_whole.empty()) mapped.push_back(of_whole);
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
