// SPDX-License-Identifier: Apache-2.0
// The words for fields of events whose values are no numbers to people.
#pragma once

#include <optional>
#include <string>

#include "cli/session_names.h"
#include "trace/event_schema.h"

namespace gordian {

// "softirq", "vda", "10.0.0.1:80"; nothing for a field that is a number, a text or a list by
// itself. Empty for a value without a name.
std::optional<std::string> FieldWords(const EventField& field, const void* record,
                                      const EventBlock& block, const SessionNames& names);

}  // namespace gordian
