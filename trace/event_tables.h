// SPDX-License-Identifier: Apache-2.0
// The tables of events in the documentation, as the event schema has them.
#pragma once

#include <string>

namespace gordian {

// Of trace/FORMAT.md: each kind's columns.
std::string EventFormatTable();
// Of docs/dump.md: each kind's fields in JSON.
std::string EventDumpTable();

}  // namespace gordian
