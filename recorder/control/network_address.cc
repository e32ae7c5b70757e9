// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/network_address.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gordian {
namespace {

bool IsHostName(absl::string_view name) {
  return !name.empty() && name.size() <= 253 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char character) {
           return absl::ascii_isalnum(static_cast<unsigned char>(character)) || character == '.' ||
                  character == '-' || character == '_';
         });
}

bool IsIpv6(const std::string& text) {
  in6_addr address = {};
  return inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

}  // namespace

std::string NetworkAddress::text() const {
  return host.find(':') == std::string::npos ? absl::StrCat(host, ":", port)
                                             : absl::StrCat("[", host, "]:", port);
}

absl::StatusOr<NetworkAddress> ParseNetworkAddress(const std::string& text) {
  const absl::Status wrong = absl::InvalidArgumentError(
      absl::StrCat("'", absl::CHexEscape(text.substr(0, 64)),
                   "' is no address; write HOST, HOST:PORT or [IPV6]:PORT"));
  NetworkAddress address;
  absl::string_view port;
  const bool bracketed = !text.empty() && text.front() == '[';
  const size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed) {
    if (end == std::string::npos) return wrong;
    address.host = text.substr(1, end - 1);
    if (end + 1 < text.size() && text[end + 1] != ':') return wrong;
    if (end + 1 < text.size()) port = absl::string_view(text).substr(end + 2);
    if (!IsIpv6(address.host) || text.back() == ':') return wrong;
  } else {
    address.host = text.substr(0, end);
    if (end != std::string::npos) port = absl::string_view(text).substr(end + 1);
    if (!IsHostName(address.host) || (end != std::string::npos && port.empty())) return wrong;
  }
  if (port.empty()) return address;
  uint32_t number = 0;
  const bool digits = absl::ascii_isdigit(static_cast<unsigned char>(port.front()));
  if (!digits || !absl::SimpleAtoi(port, &number) || number > 65535) return wrong;
  address.port = static_cast<uint16_t>(number);
  return address;
}

}  // namespace gordian
