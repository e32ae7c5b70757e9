// SPDX-License-Identifier: Apache-2.0
#include "http/request_head.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "http/listen_address.h"

namespace gordian {

bool IsOwnHost(std::string_view host) {
  const size_t colon = host.rfind(':');
  const bool has_port = colon != host.npos && host.find(']', colon) == host.npos;
  const std::string_view name = has_port ? host.substr(0, colon) : host;
  if (has_port && host.find_first_not_of("0123456789", colon + 1) != host.npos) return false;
  if (absl::EqualsIgnoreCase(absl::string_view(name.data(), name.size()), "localhost")) return true;
  const auto address = ParseListenAddress(absl::StrCat(std::string(name), ":1"));
  return address.ok() && address->is_loopback();
}

}  // namespace gordian
