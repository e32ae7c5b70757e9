// What `gordian record` and `gordian start` are asked alike.
#pragma once

#include <CLI/CLI.hpp>

#include "schema/control.pb.h"

namespace gordian {

// Adds the options of a recording. What is given goes into `request`, which must outlive the parse;
// what is not given stays unsaid, but for --sample-hz, where 0 has a meaning.
void AddRecordingOptions(CLI::App& command, pb::StartRequest& request);

// Whether it names a target.
bool HasTarget(const pb::StartRequest& request);

}  // namespace gordian
