// SPDX-License-Identifier: Apache-2.0
// Names of threads and files may hold any bytes. All names that a person or a program reads pass
// through here.
#pragma once

#include <string>
#include <string_view>

namespace gordian {

// Valid UTF-8 on one line. Bytes that are no UTF-8, control characters, and marks that turn the
// writing direction become U+FFFD. So a name can neither forge lines, colour the terminal nor
// reorder the text around it.
std::string CleanText(std::string_view bytes);

}  // namespace gordian
