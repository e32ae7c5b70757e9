// SPDX-License-Identifier: Apache-2.0
// Who wrote a line, in words.
#pragma once

#include "loglines/line_writers.h"
#include "schema/log_explanation.pb.h"

namespace gordian {

// `is_told`: by the user; then no sign counts.
void TellWriter(const Timeline& timeline, const LineWriter& writer, bool is_told,
                pb::LineWriterGuess& told);

}  // namespace gordian
