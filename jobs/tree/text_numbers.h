// SPDX-License-Identifier: Apache-2.0
// Texts as numbers; 0 is the empty text. A log names millions of phases: each text is kept once,
// one behind the other, with some thirty bytes beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace gordian {

class TextNumbers {
 public:
  uint32_t Number(std::string_view text);
  // Valid as long as this is.
  std::string_view Text(uint32_t number) const { return texts_[number]; }

 private:
  static constexpr size_t kPieceBytes = 64u << 10;

  struct Slot {
    uint32_t hash;
    uint32_t number;  // 0: the slot is free
  };
  std::string_view Keep(std::string_view text);
  void Grow();

  std::vector<std::string_view> texts_ = std::vector<std::string_view>(1);
  std::vector<std::unique_ptr<char[]>> pieces_;  // the texts' bytes
  size_t free_bytes_ = 0;                        // at the end of the last piece
  std::vector<Slot> slots_;                      // a power of two; searched from a text's hash on
};

}  // namespace gordian
