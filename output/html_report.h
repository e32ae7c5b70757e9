// SPDX-License-Identifier: Apache-2.0
// The report as one self-contained page (web/): works offline, from a mail's attachment, years
// later.
#pragma once

#include <span>
#include <string>

#include "schema/listings.pb.h"

namespace gordian {

// An answer that `gordian serve` would give, kept in the page, so that views which ask have data
// without a server.
struct EmbeddedAnswer {
  std::string question;  // as web/app/question.js writes it: "tiles?from=0&to=9", names sorted
  std::string body;      // JSON, or bytes
  bool binary = false;
};

// The page is at most this large: answers that find no room are left out, and the page tells how
// many. The most important ones stand first. A report that finds no room is compressed, and never
// cut.
constexpr size_t kMostHtmlBytes = size_t{5} << 20;

std::string HtmlReport(const pb::PageData& page, std::span<const EmbeddedAnswer> answers = {});

}  // namespace gordian
