// SPDX-License-Identifier: Apache-2.0
#include "cli/field_words.h"

namespace gordian {
namespace {

std::string BlockName(uint64_t index, const EventBlock& block) {
  return index < block.names.size() ? block.names[index] : "";
}

}  // namespace

std::optional<std::string> FieldWords(const EventField& field, const void* record,
                                      const EventBlock& block, const SessionNames& names) {
  if (field.derived) return field.derived(record);
  if (!field.member.is_number()) return std::nullopt;
  const uint64_t number = field.member.get(record);
  if (field.word) return field.word(number);
  if (field.coding == Coding::kName) return BlockName(number, block);
  switch (field.named_by) {
    case NamedBy::kDisks:
      return names.Disk(static_cast<uint32_t>(number));
    case NamedBy::kInterfaces:
      return names.Interface(static_cast<uint32_t>(number));
    case NamedBy::kInterrupts:
      return std::string(names.Irq(static_cast<uint32_t>(number)));
    case NamedBy::kNothing:
      break;
  }
  return std::nullopt;
}

}  // namespace gordian
