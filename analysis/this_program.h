// SPDX-License-Identifier: Apache-2.0
// What a kept result depends on besides the recording and the options: the program that made it.
#pragma once

#include <string>

namespace gordian {

// Tells the program, or the shared library, that this code lies in from every other build: its
// file's inode, size and times. Empty if the system does not tell.
std::string ThisProgram();

}  // namespace gordian
