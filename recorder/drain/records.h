// From the kernel's records to the events of a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bpf/events.h"
#include "proto/event_block.h"
#include "recorder/drain/stack_ids.h"

namespace gordian {

// Appends the record to `block`. False if its size or kind is none of ours (a bug or a torn ring:
// counted by the caller).
bool AppendRecord(const void* record, size_t size, StackIds& stack_ids, EventBlock& block);

TaskRecord ToTaskRecord(const gd_task& task);
FlowRecord ToFlowRecord(const gd_flow& flow);

}  // namespace gordian
