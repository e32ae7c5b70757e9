// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr size_t kTokenBytes = 16;

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "http://127.0.0.1:9000" names the host behind "//".
std::string_view HostOfOrigin(std::string_view origin) {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) ? origin.substr(kScheme.size()) : std::string_view();
}

}  // namespace

absl::StatusOr<std::string> RandomToken() {
  std::array<char, kTokenBytes> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return absl::ErrnoToStatus(errno, "the system gives no random number");
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

ServeAccess::ServeAccess(std::string token, uint16_t port)
    : token_(std::move(token)), cookie_name_(absl::StrCat("gordian-", port)) {}

std::string ServeAccess::EntryTarget() const { return absl::StrCat("/?token=", token_); }

bool ServeAccess::IsForeign(const HttpRequestHead& head) {
  const std::string_view site = head.fetch_site;
  // "none": typed, or opened from a bookmark or another program.
  if (!site.empty() && site != "same-origin" && site != "none") return true;
  return !head.origin.empty() && HostOfOrigin(head.origin) != std::string_view(head.host);
}

bool ServeAccess::IsToken(std::string_view given) const {
  if (given.size() != token_.size()) return false;
  unsigned differs = 0;
  for (size_t i = 0; i < token_.size(); ++i)
    differs |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token_[i]);
  return differs == 0;
}

bool ServeAccess::MayAsk(const HttpRequestHead& head) const {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = head.authorization;
  if (authorization.starts_with(kBearer))
    return IsToken(WithoutBlanks(authorization.substr(kBearer.size())));
  std::string_view rest = head.cookie;
  while (!rest.empty()) {
    const std::string_view one = WithoutBlanks(rest.substr(0, rest.find(';')));
    const size_t equals = one.find('=');
    if (equals != one.npos && one.substr(0, equals) == std::string_view(cookie_name_) &&
        IsToken(one.substr(equals + 1)))
      return true;
    rest.remove_prefix(std::min(rest.size(), std::min(rest.find(';'), rest.size() - 1) + 1));
  }
  return false;
}

std::string ServeAccess::Cookie() const {
  return absl::StrCat(cookie_name_, "=", token_, "; HttpOnly; SameSite=Strict; Path=/");
}

}  // namespace gordian
