// SPDX-License-Identifier: Apache-2.0
// Names of functions that fit into a sentence: for the rooms that name code and those that show it.
#pragma once

#include <string>
#include <string_view>

namespace gordian {

// `function` (demangled) without template arguments, parameters or result type, as in
// "std::vector<...>::push_back". Of a method in Go its receiver is a part of the name.
std::string ShortFunctionName(std::string_view function);

}  // namespace gordian
