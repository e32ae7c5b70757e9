// Reads the tasks, flows, stacks, wait objects and names that stand beside a block's events.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "schema/trace.pb.h"
#include "trace/event_block.h"

namespace gordian {

// DataLoss if the columns do not hold `count` tasks. `scratch` is any memory to reuse.
absl::Status ReadTasks(const pb::TaskColumns& columns, size_t count,
                       std::vector<std::string_view>& scratch, std::vector<TaskRecord>& tasks);
absl::Status ReadFlows(const pb::FlowColumns& columns, size_t count,
                       std::vector<FlowRecord>& flows);
absl::Status ReadStacks(const pb::StackColumns& columns, size_t count,
                        std::vector<StackRecord>& stacks);
absl::Status ReadWaitObjects(const pb::WaitObjectColumns& columns, size_t count,
                             std::vector<std::string_view>& scratch,
                             std::vector<WaitObjectRecord>& objects);
absl::Status ReadNames(const pb::NameTable& table, std::vector<std::string_view>& scratch,
                       std::vector<std::string>& names);

}  // namespace gordian
