// SPDX-License-Identifier: Apache-2.0
// The common options of `gordian record` and `gordian start`.
#pragma once

#include <CLI/CLI.hpp>

#include "schema/control.pb.h"

namespace gordian {

// Adds the options of a recording. Given options go into `request`, which must outlive the parse.
// Others stay unset, except --sample-hz, where 0 has a meaning.
void AddRecordingOptions(CLI::App& command, pb::StartRequest& request);

// Whether it names a target.
bool HasTarget(const pb::StartRequest& request);

}  // namespace gordian
