// SPDX-License-Identifier: Apache-2.0
// A member of a record, as the event schema sees it: without its type. Code that walks the schema
// takes values out of records and puts them back through these functions, one or many at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gordian {

using AddressBytes = std::array<uint8_t, 16>;

enum class MemberType : uint8_t {
  kNone,
  kBool,
  kUnsigned,  // enumerations, too
  kSigned,
  kOptional,  // as a number: one more than the value; 0 is no value
  kText,
  kAddress,
  kList,
};

// Everything but texts, addresses and lists is a number of 64 bits; negative ones wrap around.
struct RecordMember {
  MemberType type = MemberType::kNone;
  uint8_t bits = 0;  // of a number
  uint64_t (*get)(const void* record) = nullptr;
  void (*set)(void* record, uint64_t number) = nullptr;
  // The same of many records: ORs each number, shifted left, into `numbers` …
  void (*gather)(std::span<const void* const> records, uint8_t shift, uint64_t* numbers) = nullptr;
  // … and takes each from there: (number >> shift) & mask.
  void (*scatter)(std::span<void* const> records, const uint64_t* numbers, uint8_t shift,
                  uint64_t mask) = nullptr;

  std::string* (*text)(void* record) = nullptr;
  AddressBytes* (*address)(void* record) = nullptr;
  std::vector<uint64_t>* (*list)(void* record) = nullptr;

  bool is_number() const { return get != nullptr; }
  const std::string& TextOf(const void* record) const { return *text(const_cast<void*>(record)); }
  const AddressBytes& AddressOf(const void* record) const {
    return *address(const_cast<void*>(record));
  }
  const std::vector<uint64_t>& ListOf(const void* record) const {
    return *list(const_cast<void*>(record));
  }
};

// The functions behind a pointer to a member.
template <auto kMember>
struct MemberAccess;

template <typename Record, typename Value, Value Record::*kMember>
struct MemberAccess<kMember> {
  using ValueType = Value;

  static Value* At(void* record) { return &(static_cast<Record*>(record)->*kMember); }
  static uint64_t Get(const void* record) {
    const Value& value = static_cast<const Record*>(record)->*kMember;
    if constexpr (std::is_same_v<Value, std::optional<uint64_t>>) {
      return value ? *value + 1 : 0;
    } else {
      return static_cast<uint64_t>(value);
    }
  }
  static void Set(void* record, uint64_t number) {
    Value& value = static_cast<Record*>(record)->*kMember;
    if constexpr (std::is_same_v<Value, std::optional<uint64_t>>) {
      value = number == 0 ? std::nullopt : std::optional(number - 1);
    } else {
      value = static_cast<Value>(number);
    }
  }
  static void Gather(std::span<const void* const> records, uint8_t shift, uint64_t* numbers) {
    for (size_t i = 0; i < records.size(); ++i) numbers[i] |= Get(records[i]) << shift;
  }
  static void Scatter(std::span<void* const> records, const uint64_t* numbers, uint8_t shift,
                      uint64_t mask) {
    for (size_t i = 0; i < records.size(); ++i) Set(records[i], (numbers[i] >> shift) & mask);
  }
};

// Member<&SwitchEvent::prev_tid>
template <auto kMember>
constexpr RecordMember Member() {
  using Access = MemberAccess<kMember>;
  using Value = typename Access::ValueType;
  RecordMember member;
  if constexpr (std::is_same_v<Value, std::string>) {
    member.type = MemberType::kText;
    member.text = Access::At;
  } else if constexpr (std::is_same_v<Value, AddressBytes>) {
    member.type = MemberType::kAddress;
    member.address = Access::At;
  } else if constexpr (std::is_same_v<Value, std::vector<uint64_t>>) {
    member.type = MemberType::kList;
    member.list = Access::At;
  } else {
    member.type = std::is_same_v<Value, bool>                      ? MemberType::kBool
                  : std::is_same_v<Value, std::optional<uint64_t>> ? MemberType::kOptional
                  : std::is_signed_v<Value>                        ? MemberType::kSigned
                                                                   : MemberType::kUnsigned;
    member.bits = std::is_same_v<Value, bool>                      ? 1
                  : std::is_same_v<Value, std::optional<uint64_t>> ? 64
                                                                   : 8 * sizeof(Value);
    member.get = Access::Get;
    member.set = Access::Set;
    member.gather = Access::Gather;
    member.scatter = Access::Scatter;
  }
  return member;
}

// The same number, shown as one that may be negative.
constexpr RecordMember Signed(RecordMember member) {
  member.type = MemberType::kSigned;
  return member;
}

}  // namespace gordian
