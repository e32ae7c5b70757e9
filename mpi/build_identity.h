// SPDX-License-Identifier: Apache-2.0
// Tells builds apart, on whichever machine: versions of a build of one's own are often the same.
#pragma once

#include <string>

namespace gordian {

// The linker's id of this program or shared library, in hexadecimal; empty if it has none.
std::string BuildIdentity();

}  // namespace gordian
