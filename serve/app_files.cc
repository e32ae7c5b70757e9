// SPDX-License-Identifier: Apache-2.0
#include "serve/app_files.h"

#include <array>

#include "web/web_app.h"

namespace gordian {
std::span<const AppFile> AppFiles() {
  // Within the function: the texts are of another library, and set up in any order.
  static const std::array<AppFile, 4> kFiles{
      AppFile{"/", "text/html; charset=utf-8", embedded::app_html},
      AppFile{"/app.js", "text/javascript; charset=utf-8", embedded::app_js},
      AppFile{"/app.css", "text/css; charset=utf-8", embedded::app_css},
      AppFile{"/icon.svg", "image/svg+xml", embedded::icon_svg}};
  return kFiles;
}

}  // namespace gordian
