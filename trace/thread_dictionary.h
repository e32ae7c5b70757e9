// SPDX-License-Identifier: Apache-2.0
// The thread ids of one block and their codes: small numbers for the most frequent ids.
#pragma once

#include <google/protobuf/repeated_field.h>

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gordian {

// A column is first collected as slots (order of first occurrence), then, once all occurrences are
// known, turned into codes.
class ThreadDictionary {
 public:
  // Code and slot of the current thread (see trace.proto): needs no thread id.
  static constexpr uint32_t kCurrent = 0;

  void Clear();
  // The slot of `tid`, one occurrence of which is counted.
  uint32_t Slot(int32_t tid) {
    const Recent& recent = recent_[static_cast<uint32_t>(tid) % kRecent];
    const uint32_t slot = recent.slot != 0 && recent.tid == tid ? recent.slot : LookUp(tid);
    ++occurrences_[slot - 1];
    return slot;
  }
  // Gives each slot its code and writes the thread ids in the order of the codes, as differences.
  void AssignCodes(google::protobuf::RepeatedField<int32_t>& tid_delta);
  // Turns a column of slots into one of codes. After AssignCodes.
  void SlotsToCodes(std::vector<uint64_t>& column) const;

 private:
  // Of the threads that occur again and again, each where its tid puts it: most need no look into
  // the table.
  struct Recent {
    int32_t tid = 0;
    uint32_t slot = 0;  // 0: none here
  };
  static constexpr uint32_t kRecent = 512;

  uint32_t LookUp(int32_t tid);

  std::array<Recent, kRecent> recent_;
  absl::flat_hash_map<int32_t, uint32_t> slot_of_tid_;
  std::vector<int32_t> tids_;          // by slot - 1
  std::vector<uint32_t> occurrences_;  // by slot - 1
  std::vector<uint32_t> order_;        // slots in the order of their codes
  std::vector<uint32_t> codes_;        // by slot
};

}  // namespace gordian
