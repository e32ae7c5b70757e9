// SPDX-License-Identifier: Apache-2.0
#include "serve/app_files.h"

#include <array>

#ifdef GORDIAN_HAS_WEB_APP
#include "web/web_app.h"
#endif

namespace gordian {
namespace {

#ifdef GORDIAN_HAS_WEB_APP
const std::string_view kHtml = embedded::app_html;
const std::string_view kScript = embedded::app_js;
const std::string_view kStyle = embedded::app_css;
#else
constexpr std::string_view kHtml = "<!doctype html><title>Gordian</title><p>Gordian";
constexpr std::string_view kScript = "";
constexpr std::string_view kStyle = "";
#endif

}  // namespace

std::span<const AppFile> AppFiles() {
  // Within the function: the texts are of another library, and set up in any order.
  static const std::array<AppFile, 3> kFiles{
      AppFile{"/", "text/html; charset=utf-8", kHtml},
      AppFile{"/app.js", "text/javascript; charset=utf-8", kScript},
      AppFile{"/app.css", "text/css; charset=utf-8", kStyle}};
  return kFiles;
}

}  // namespace gordian
