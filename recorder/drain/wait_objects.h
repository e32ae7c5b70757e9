// SPDX-License-Identifier: Apache-2.0
// The kernel side's record of a thing that threads wait for, as the files hold it.
#pragma once

#include <optional>

#include "bpf/events.h"
#include "trace/wait_object.h"

namespace gordian {

// Everything but the number. Nothing if it claims a longer path than it can hold.
std::optional<WaitObjectRecord> ToWaitObject(const gd_wait_object& object);

}  // namespace gordian
