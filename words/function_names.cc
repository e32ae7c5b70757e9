// SPDX-License-Identifier: Apache-2.0
#include "words/function_names.h"

namespace gordian {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

// Longer ones before those that they begin with.
constexpr std::string_view kOperators[] = {
    "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "->",
    "++",  "--",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",
    ">",   "=",   "!",   "+",   "-",  "*",  "/",  "%",  "^",  "&",  "|",  "~",  ","};

// Where the bracket that opens at `at` is closed, or npos. ">" of an arrow closes nothing.
size_t Closing(std::string_view text, size_t at) {
  size_t depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if ((c == '>' && !arrow) || c == ')' || c == '}' || c == ']') {
      if (--depth == 0) return i;
    }
  }
  return std::string_view::npos;
}

bool IsIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

// The bytes of "operator" and its sign where one begins at `at`, or 0. A conversion ("operator
// bool") counts up to its parameters.
size_t OperatorBytes(std::string_view text, size_t at) {
  constexpr std::string_view kWord = "operator";
  if (!text.substr(at).starts_with(kWord) || (at > 0 && IsIdentifier(text[at - 1]))) return 0;
  size_t end = at + kWord.size();
  if (end == text.size() || IsIdentifier(text[end])) return 0;
  if (text[end] == ' ') {
    while (end < text.size() && text[end] != '(' && text[end] != '<') ++end;
    return end - at;
  }
  for (const std::string_view sign : kOperators) {
    if (text.substr(end).starts_with(sign)) return end + sign.size() - at;
  }
  return 0;
}

// Of a method in Go: "net/http.(*conn).serve".
bool IsReceiver(std::string_view text, size_t at) {
  return at > 0 && text[at - 1] == '.' && text.substr(at).starts_with("(*");
}

// Skips the text between a parameter list and a name inside that function: " const", "&", …
size_t BehindQualifiers(std::string_view text, size_t at) {
  for (const std::string_view qualifier : {" const", " volatile", "&&", "&", " &&", " &"}) {
    if (text.substr(at).starts_with(qualifier)) at += qualifier.size();
  }
  return at;
}

// "{lambda(int)#1}" without its parameters.
void AppendLambda(std::string_view braces, std::string& shortened) {
  const size_t open = braces.find('(');
  const size_t close = open == std::string_view::npos ? open : Closing(braces, open);
  shortened.append(braces.substr(0, open));
  if (close != std::string_view::npos) shortened.append(braces.substr(close + 1));
}

}  // namespace

// One walk from left to right outside all brackets: each turn takes a bracket whole, an operator
// whole, or one sign, so it ends. The text before a space was a result type. The first parameter
// list that no "::" follows ends the name; without one there is no result type either. Text that
// does not fit this is given back as it is.
std::string ShortFunctionName(std::string_view function) {
  std::string shortened;
  bool any_parameters = false;
  bool any_result = false;
  size_t at = 0;
  while (at < function.size()) {
    const char c = function[at];
    if (const size_t bytes = OperatorBytes(function, at); bytes != 0) {
      shortened.append(function.substr(at, bytes));
      at += bytes;
    } else if (function.substr(at).starts_with(kAnonymous)) {
      shortened.append(kAnonymous);
      at += kAnonymous.size();
    } else if (c == ' ') {
      // A space may also part an operator from its template arguments.
      if (!function.substr(at).starts_with(" <")) {
        any_result = true;
        shortened.clear();
      }
      ++at;
    } else if (c == '<' || c == '(' || c == '{' || c == '[') {
      const size_t close = Closing(function, at);
      if (close == std::string_view::npos) return std::string(function);
      if (IsReceiver(function, at)) {
        shortened.append(function.substr(at, close + 1 - at));
        at = close + 1;
        continue;
      }
      if (c == '<') shortened.append("<...>");
      if (c == '{') AppendLambda(function.substr(at, close + 1 - at), shortened);
      at = close + 1;
      if (c != '(' || shortened.empty() || shortened == "decltype") continue;
      any_parameters = true;
      at = BehindQualifiers(function, at);
      if (!function.substr(at).starts_with("::")) break;
    } else {
      shortened.push_back(c);
      ++at;
    }
  }
  const bool misread = shortened.empty() || (any_result && !any_parameters);
  return misread ? std::string(function) : shortened;
}

}  // namespace gordian
