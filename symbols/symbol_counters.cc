// SPDX-License-Identifier: Apache-2.0
#include "symbols/symbol_counters.h"

#include <cstdio>
#include <cstdlib>

#include "trace/counters.h"

namespace gordian {

void Count(SymbolCounters& counters, std::string_view name, uint64_t value) {
  if (value == 0) return;
  if (FindCounter(name) == nullptr) {
    std::fprintf(stderr, "gordian: counter %.*s is not defined in trace/counters.cc\n",
                 static_cast<int>(name.size()), name.data());
    std::abort();
  }
  counters[std::string(name)] += value;
}

}  // namespace gordian
