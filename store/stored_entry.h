// SPDX-License-Identifier: Apache-2.0
// One kept result, as its reader has it. (Include store/store.h.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace google::protobuf {
class MessageLite;
}

namespace gordian {

// Sections are mapped, and checked where they are asked for the first time. They stay valid as long
// as this object, whether the entry is replaced, or gives way, or its Store is gone.
//
// Every function fails with DataLoss if the asked part is damaged; then the entry is gone, and its
// result has to be computed anew. NotFound: it has no section of that name.
//
// An entry may hold several results of one kind, its members: each has sections of the same names
// (StoreWriter::BeginMember).
//
// Not thread-safe, and neither are its members beside each other; what they gave out may be read by
// any thread.
class StoredEntry {
 public:
  struct Impl;
  explicit StoredEntry(std::unique_ptr<Impl> impl);  // for Store
  StoredEntry(StoredEntry&& other) noexcept;
  StoredEntry& operator=(StoredEntry&& other) noexcept;
  ~StoredEntry();

  // As if it were an entry alone; what belongs to others is not in it. NotFound if there is none of
  // that name. It shares the file and its mapping with this one, and may outlive it.
  absl::StatusOr<StoredEntry> Member(std::string_view name) const;

  bool Has(std::string_view section) const;
  std::vector<std::string> Sections() const;  // their names
  absl::StatusOr<uint64_t> SectionBytes(std::string_view section) const;

  // The whole section; large ones are checked by several threads.
  absl::StatusOr<std::span<const std::byte>> Section(std::string_view section);
  // A part of it: nothing else is read. OutOfRange if it does not lie within the section.
  absl::StatusOr<std::span<const std::byte>> Part(std::string_view section, uint64_t offset,
                                                  uint64_t bytes);
  // The whole section in memory that the caller may change. What it changes shows in what Section
  // gives, too, and never in the file.
  absl::StatusOr<std::span<std::byte>> MutableSection(std::string_view section);

  // The same as values, which begin at a page. DataLoss if the section does not hold whole ones.
  template <typename Value>
  absl::StatusOr<std::span<const Value>> Column(std::string_view section);
  template <typename Value>
  absl::StatusOr<std::span<const Value>> ColumnPart(std::string_view section, uint64_t first,
                                                    uint64_t count);
  template <typename Value>
  absl::StatusOr<std::span<Value>> MutableColumn(std::string_view section);

  // All that it has mapped by now, in whole pages; nothing once any section was asked for to change
  // it. It stays as Section says. Pages that are given back come again with what they held.
  std::vector<std::span<const std::byte>> Mapped() const;

  // Parses a section into `message`.
  absl::Status Message(std::string_view section, google::protobuf::MessageLite& message);

 private:
  StoredEntry(std::shared_ptr<Impl> impl, std::string prefix, size_t first, size_t end);
  // The section's place in the table.
  absl::StatusOr<size_t> PlaceOf(std::string_view section) const;
  // DataLoss if the section does not hold whole values of this size.
  absl::Status CheckValues(std::string_view section, size_t value_bytes);

  std::shared_ptr<Impl> impl_;
  // Of its sections' names in the file, and where these stand in the table.
  std::string prefix_;
  size_t first_section_ = 0;
  size_t end_section_ = 0;
};

template <typename Value>
absl::StatusOr<std::span<const Value>> StoredEntry::Column(std::string_view section) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (auto status = CheckValues(section, sizeof(Value)); !status.ok()) return status;
  const auto bytes = Section(section);
  if (!bytes.ok()) return bytes.status();
  return std::span(reinterpret_cast<const Value*>(bytes->data()), bytes->size() / sizeof(Value));
}

template <typename Value>
absl::StatusOr<std::span<const Value>> StoredEntry::ColumnPart(std::string_view section,
                                                               uint64_t first, uint64_t count) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (auto status = CheckValues(section, sizeof(Value)); !status.ok()) return status;
  if (first > SIZE_MAX / sizeof(Value) || count > SIZE_MAX / sizeof(Value))
    return absl::OutOfRangeError("no column has so many values");
  const auto bytes = Part(section, first * sizeof(Value), count * sizeof(Value));
  if (!bytes.ok()) return bytes.status();
  return std::span(reinterpret_cast<const Value*>(bytes->data()), count);
}

template <typename Value>
absl::StatusOr<std::span<Value>> StoredEntry::MutableColumn(std::string_view section) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (auto status = CheckValues(section, sizeof(Value)); !status.ok()) return status;
  const auto bytes = MutableSection(section);
  if (!bytes.ok()) return bytes.status();
  return std::span(reinterpret_cast<Value*>(bytes->data()), bytes->size() / sizeof(Value));
}

}  // namespace gordian
