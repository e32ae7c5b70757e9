// SPDX-License-Identifier: Apache-2.0
// Where threads run, by the program or library whose file the code is in: what is left to tell of
// code without names, where each sample is at a place of its own.
#pragma once

#include <span>
#include <vector>

#include "analyzer/stacks/stacks.h"

namespace gordian {

// Heaviest first: "libcrypto.so.3". The text is empty where no file is known.
std::vector<Story> ModulesOf(std::span<const PathShare> paths, const Code& code);

}  // namespace gordian
