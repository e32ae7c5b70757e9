// SPDX-License-Identifier: Apache-2.0
// What a line of a log had been waiting for, for a person to read: as text, or as one page.
#pragma once

#include <cstddef>
#include <string>

#include "schema/log_explanation.pb.h"

namespace gordian {

// First a sentence with the answer, then who wrote the line and how sure that is, the waits in
// which time was lost, lines of others within the slice, lines elsewhere with its rare words,
// notes, and commands to go on with. `most_rows` of each list.
std::string LogExplanationText(const pb::LogExplanation& told, size_t most_rows);

// The same, and with all rows, as a page without any script: works offline, from a mail's
// attachment. Text of logs and names cannot become a part of the page.
std::string LogExplanationHtml(const pb::LogExplanation& told);

}  // namespace gordian
