// SPDX-License-Identifier: Apache-2.0
// The files of the app, as they are in the program.
#pragma once

#include <span>
#include <string_view>

namespace gordian {

struct AppFile {
  std::string_view path;
  std::string_view content_type;
  std::string_view text;
};

std::span<const AppFile> AppFiles();

}  // namespace gordian
