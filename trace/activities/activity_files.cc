// SPDX-License-Identifier: Apache-2.0
#include "trace/activities/activity_files.h"

#include <filesystem>
#include <system_error>

namespace gordian {

bool IsActivityGraph(const std::string& directory) {
  std::error_code ignored;  // what cannot be looked into is for others to complain of
  return std::filesystem::is_regular_file(std::filesystem::path(directory) / kActivityHeaderName,
                                          ignored);
}

}  // namespace gordian
