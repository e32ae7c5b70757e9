// SPDX-License-Identifier: Apache-2.0
// The names of the code in a trace's stacks: as far as the trace tells them, and those of the files
// on this machine that are the very ones that the trace tells of.
#pragma once

#include "import/kernel/code_map.h"
#include "import/kernel/kernel_stacks.h"
#include "schema/symbols.pb.h"
#include "symbols/symbols.h"

namespace gordian {

// What a trace tells of stacks.
struct KernelCode {
  KernelStacks stacks;
  CodeMap map;
};

// The future symbols of the session. An address that cannot be named keeps its module and place.
pb::Symbols NameStacks(KernelCode& code, const SymbolPaths& paths);

}  // namespace gordian
