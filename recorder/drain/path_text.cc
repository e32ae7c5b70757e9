// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/path_text.h"

#include <algorithm>
#include <vector>

#include "bpf/events.h"

namespace gordian {

std::string PathText(std::string_view names, uint8_t state) {
  std::vector<std::string_view> parts;
  while (!names.empty()) {
    const size_t length = std::min(names.find('\0'), names.size());
    parts.push_back(names.substr(0, length));
    names.remove_prefix(std::min(length + 1, names.size()));
  }
  std::string path;
  if (state == GD_PATH_WHOLE && parts.empty()) path = "/";
  if (state == GD_PATH_CUT && !parts.empty()) path = "…";
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (state != GD_PATH_NAME) path += '/';
    path += *part;
  }
  return path;
}

}  // namespace gordian
