// SPDX-License-Identifier: Apache-2.0
// Who may ask: somebody who has the token that the server printed, from a page of the server's own.
//
// docs/design-serve.md says why each of these is there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "http/request_head.h"

namespace gordian {

// 128 random bits, in hexadecimal digits.
absl::StatusOr<std::string> RandomToken();

class ServeAccess {
 public:
  // `port` parts the cookies of several servers on this machine: browsers do not.
  ServeAccess(std::string token, uint16_t port);

  const std::string& token() const { return token_; }
  // "/?token=…", as the address is printed.
  std::string EntryTarget() const;

  // Whether a page of another origin makes the browser ask.
  static bool IsForeign(const HttpRequestHead& head);
  // Whether that is the token, in a time that does not tell how much of it is right.
  bool IsToken(std::string_view given) const;
  // By the cookie, or by "Authorization: Bearer …".
  bool MayAsk(const HttpRequestHead& head) const;
  // For Set-Cookie.
  std::string Cookie() const;

 private:
  const std::string token_;
  const std::string cookie_name_;
};

}  // namespace gordian
