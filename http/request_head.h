// SPDX-License-Identifier: Apache-2.0
// What a browser or another reader says before its question's empty line.
#pragma once

#include <string>
#include <string_view>

namespace gordian {

// The fields of a request's head that matter; empty: absent.
struct HttpRequestHead {
  std::string method;  // GET
  std::string target;  // /api/recordings?…
  std::string host;
  std::string origin;
  std::string fetch_site;  // Sec-Fetch-Site
  std::string accept;
  std::string cookie;
  std::string authorization;
  int hosts = 0;  // that it names; more than one is nobody's honest request
};

// Whether it names this machine by number or as localhost. A web page can make its own host's
// name point here; then the browser sends that name. Any port: a tunnel's is another one.
bool IsOwnHost(std::string_view host);

}  // namespace gordian
