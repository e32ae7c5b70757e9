// SPDX-License-Identifier: Apache-2.0
// From the kernel's records to the events of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bpf/events.h"
#include "recorder/drain/interface_numbers.h"
#include "recorder/drain/stack_ids.h"
#include "trace/event_block.h"

namespace gordian {

// The meanings of the numbers in records.
struct RecordNames {
  StackIds stack_ids;
  std::vector<std::string> counted_calls;  // KernelOptions::counted_calls
  InterfaceNumbers interfaces;
};

// Appends the record to `block`. False if its size or kind is not known (a bug or a torn ring: the
// caller counts it).
bool AppendRecord(const void* record, size_t size, RecordNames& names, EventBlock& block);

TaskRecord ToTaskRecord(const gd_task& task);
// With command line and directory. Nothing if it claims longer ones than it can hold.
std::optional<TaskRecord> ToTaskRecord(const gd_exec& exec);
FlowRecord ToFlowRecord(const gd_flow& flow);

}  // namespace gordian
