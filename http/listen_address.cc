// SPDX-License-Identifier: Apache-2.0
#include "http/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

bool IsIpv4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool IsIpv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

bool ListenAddress::is_loopback() const {
  if (IsIpv4(host)) return absl::StartsWith(host, "127.");
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1 && IN6_IS_ADDR_LOOPBACK(&address);
}

std::string ListenAddress::Text() const {
  return IsIpv6(host) ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text) {
  ListenAddress address;
  std::string host(text);
  std::string port = host;
  const size_t colon = host.rfind(':');
  if (colon != std::string::npos) {
    port = host.substr(colon + 1);
    host.resize(colon);
    if (host == "localhost") host = "127.0.0.1";
    const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (is_bracketed) host = host.substr(1, host.size() - 2);
    if (is_bracketed ? !IsIpv6(host) : !IsIpv4(host)) port.clear();
    address.host = host;
  }
  uint32_t number = 0;
  if (port.empty() || port.find_first_not_of("0123456789") != std::string::npos ||
      !absl::SimpleAtoi(port, &number) || number > UINT16_MAX)
    return absl::InvalidArgumentError(
        absl::StrCat("'", std::string(text),
                     "' is no address to listen at: write 9464, 127.0.0.1:9464 or [::1]:9464"));
  address.port = static_cast<uint16_t>(number);
  return address;
}

}  // namespace gordian
