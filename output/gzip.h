// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gordian {

// Of under 4 GiB.
std::string Gzip(const std::string& bytes);

}  // namespace gordian
