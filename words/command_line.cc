// SPDX-License-Identifier: Apache-2.0
#include "words/command_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr std::array<std::string_view, 8> kAnnouncingWords = {
    "password", "passwd", "passphrase", "secret", "token", "key", "auth", "credential"};
constexpr std::string_view kCutMark = "…";

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower;
}

bool AnnouncesSecret(std::string_view name) {
  const std::string lower = LowerCase(name);
  return std::any_of(kAnnouncingWords.begin(), kAnnouncingWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool IsMiddleOfCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }
bool IsQuote(char c) { return c == '"' || c == '\'' || c == '`'; }
bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }
bool IsNameByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The name that ends before `end`: quotes and spaces between it and `end` do not count.
std::string_view NameBefore(std::string_view text, size_t end) {
  while (end > 0 && (IsQuote(text[end - 1]) || IsSpace(text[end - 1]) || text[end - 1] == '\\'))
    --end;
  size_t begin = end;
  while (begin > 0 && IsNameByte(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// Where the value begins that the separator at `at` announces as a secret; npos if it is none.
size_t SecretBehind(std::string_view text, size_t at) {
  const bool colon = text[at] == ':';
  if (text[at] != '=' && !colon) return std::string_view::npos;
  size_t value = at + 1;
  if (value >= text.size()) return std::string_view::npos;
  if (colon && !IsSpace(text[value]) && !IsQuote(text[value]) && text[value] != '\\')
    return std::string_view::npos;
  while (colon && value < text.size() && IsSpace(text[value])) ++value;
  return AnnouncesSecret(NameBefore(text, at)) ? value : std::string_view::npos;
}

// Of an option within an argument, as in sh -c 'login --password VALUE': where VALUE begins.
size_t SecretBehindOption(std::string_view text, size_t at) {
  const bool begins = text[at] == '-' && (at == 0 || !IsNameByte(text[at - 1]));
  if (!begins) return std::string_view::npos;
  size_t end = at;
  while (end < text.size() && IsNameByte(text[end])) ++end;
  if (end == text.size() || !IsSpace(text[end])) return std::string_view::npos;
  if (!AnnouncesSecret(text.substr(at, end - at))) return std::string_view::npos;
  while (end < text.size() && IsSpace(text[end])) ++end;
  return end == text.size() || text[end] == '-' ? std::string_view::npos : end;
}

// Ends: at only grows.
std::string MaskValues(std::string text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t value = std::min(SecretBehind(text, at), SecretBehindOption(text, at));
    if (value == std::string_view::npos) continue;
    return text.substr(0, value).append(kMaskedSecret);
  }
  return text;
}

// The user and password of the URL whose host begins at `begin`, masked. Gives the place from which
// the search for the next URL goes on.
size_t MaskUrl(std::string& text, size_t begin, bool is_cut) {
  const std::string before = LowerCase(std::string_view(text).substr(0, begin));
  const bool is_web = before.ends_with("http://") || before.ends_with("https://");
  size_t end = begin;
  while (end < text.size() && !IsSpace(text[end]) && !IsQuote(text[end]) && text[end] != '/' &&
         text[end] != '?' && text[end] != '#')
    ++end;
  const std::string_view host = std::string_view(text).substr(begin, end - begin);
  size_t at = host.rfind('@');
  // Cut before an @ could stand there: a port cannot be told from a password.
  const bool lost_its_end = at == std::string_view::npos && is_cut && end == text.size();
  if (lost_its_end) at = host.size();
  if (at == std::string_view::npos) return end;
  const size_t colon = host.substr(0, at).find(':');
  if (colon == std::string_view::npos && (!is_web || lost_its_end)) return end;
  const size_t secret = colon == std::string_view::npos ? 0 : colon + 1;
  text.replace(begin + secret, at - secret, kMaskedSecret);
  return begin + secret + kMaskedSecret.size();
}

std::string MaskUrls(std::string text, bool is_cut) {
  for (size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at))
    at = MaskUrl(text, at + 3, is_cut);
  return text;
}

bool IsOptionOfSecret(std::string_view argument) {
  return argument.starts_with('-') && argument.find_first_of("=: ") == std::string_view::npos &&
         AnnouncesSecret(argument);
}

}  // namespace

std::vector<std::string> MaskSecrets(std::vector<std::string> arguments, bool last_is_cut) {
  bool is_value = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string& argument = arguments[i];
    if (is_value && !argument.starts_with('-')) {
      argument = kMaskedSecret;
      is_value = false;
      continue;
    }
    is_value = i > 0 && IsOptionOfSecret(argument);
    if (is_value) continue;
    const bool is_cut = last_is_cut && i + 1 == arguments.size();
    argument = MaskUrls(MaskValues(std::move(argument)), is_cut);
  }
  return arguments;
}

std::string BoundedText(std::string_view bytes, bool is_cut) {
  // Clean text is never shorter than the bytes: what is far behind the bound needs no cleaning.
  std::string text = CleanText(bytes.substr(0, kMaxCommandBytes + 4));
  is_cut |= text.size() > kMaxCommandBytes || bytes.size() > kMaxCommandBytes + 4;
  if (!is_cut) return text;
  size_t end = std::min(text.size(), kMaxCommandBytes - kCutMark.size());
  while (end > 0 && end < text.size() && IsMiddleOfCharacter(text[end])) --end;
  text.resize(end);
  return text.append(kCutMark);
}

std::string DirectoryText(std::string_view path) {
  std::string text = CleanText(path.substr(path.size() - std::min<size_t>(path.size(), 4096)));
  if (text.size() <= kMaxCommandBytes) return text;
  const size_t kept = kMaxCommandBytes - kCutMark.size();
  size_t begin = text.find('/', text.size() - kept);
  if (begin == std::string::npos) begin = text.size() - kept;
  while (begin < text.size() && IsMiddleOfCharacter(text[begin])) ++begin;
  return std::string(kCutMark).append(text, begin);
}

std::string CommandLineText(std::string_view arguments, bool is_cut) {
  while (!is_cut && arguments.ends_with('\0')) arguments.remove_suffix(1);
  std::vector<std::string> words;
  // Ends: each turn takes a byte at least.
  while (!arguments.empty()) {
    const size_t length = std::min(arguments.find('\0'), arguments.size());
    words.emplace_back(arguments.substr(0, length));
    arguments.remove_prefix(std::min(length + 1, arguments.size()));
  }
  std::string text = absl::StrJoin(MaskSecrets(std::move(words), is_cut), " ");
  for (char& c : text)
    if (IsSpace(c)) c = ' ';  // a script's lines
  while (text.ends_with(' ')) text.pop_back();
  return BoundedText(text, is_cut);
}

bool IsCommandCalled(std::string_view command, std::string_view name, bool exactly) {
  const auto is_name = [&](std::string_view text) {
    return exactly ? text == name : absl::EqualsIgnoreCase(std::string(text), std::string(name));
  };
  if (command.empty()) return false;
  if (is_name(command)) return true;
  std::string_view words = command;
  for (int word = 0; word < 2; ++word) {
    const size_t blank = words.find(' ');
    const std::string_view path = words.substr(0, blank);
    if (is_name(path.substr(path.rfind('/') + 1))) return true;  // all of it without a slash
    if (blank == std::string_view::npos) return false;
    words.remove_prefix(blank + 1);
  }
  return false;
}

}  // namespace gordian
