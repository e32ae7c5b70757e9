// The thread ids of one block and their codes: small numbers for those that occur most.
#pragma once

#include <google/protobuf/repeated_field.h>

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
  uint32_t Slot(int32_t tid);
  // Gives each slot its code and writes the thread ids in the order of the codes, as differences.
  void AssignCodes(google::protobuf::RepeatedField<int32_t>& tid_delta);
  // Turns a column of slots into one of codes. After AssignCodes.
  void SlotsToCodes(std::vector<uint64_t>& column) const;

 private:
  absl::flat_hash_map<int32_t, uint32_t> slot_of_tid_;
  std::vector<int32_t> tids_;          // by slot - 1
  std::vector<uint32_t> occurrences_;  // by slot - 1
  std::vector<uint32_t> order_;        // slots in the order of their codes
  std::vector<uint32_t> codes_;        // by slot
};

}  // namespace gordian
