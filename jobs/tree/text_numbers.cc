// SPDX-License-Identifier: Apache-2.0
#include "jobs/tree/text_numbers.h"

#include <algorithm>
#include <cstring>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace gordian {

std::string_view TextNumbers::Keep(std::string_view text) {
  if (text.size() > free_bytes_) {
    free_bytes_ = std::max(text.size(), kPieceBytes);
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(free_bytes_));
    // A piece larger than others holds that one text, so its begin is where others have their end.
  }
  char* const end = pieces_.back().get() + std::max(kPieceBytes, free_bytes_);
  char* const at = end - free_bytes_;
  std::memcpy(at, text.data(), text.size());
  free_bytes_ = free_bytes_ > kPieceBytes ? 0 : free_bytes_ - text.size();
  return {at, text.size()};
}

void TextNumbers::Grow() {
  std::vector<Slot> slots(std::max<size_t>(64, slots_.size() * 2));
  const size_t mask = slots.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.number == 0) continue;
    size_t at = slot.hash & mask;
    while (slots[at].number != 0) at = (at + 1) & mask;
    slots[at] = slot;
  }
  slots_ = std::move(slots);
}

// Ends: at least every third slot is free.
uint32_t TextNumbers::Number(std::string_view text) {
  if (text.empty()) return 0;
  if (texts_.size() * 3 >= slots_.size() * 2) Grow();
  const auto hash =
      static_cast<uint32_t>(absl::HashOf(absl::string_view(text.data(), text.size())));
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].number != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && texts_[slots_[at].number] == text) return slots_[at].number;
  }
  const auto number = static_cast<uint32_t>(texts_.size());
  texts_.push_back(Keep(text));
  slots_[at] = {hash, number};
  return number;
}

}  // namespace gordian
