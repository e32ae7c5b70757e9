// SPDX-License-Identifier: Apache-2.0
#include "output/html_report.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <cassert>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "output/gzip.h"
#include "output/json_writer.h"
#include "output/message_json.h"
#include "web/web_app.h"

namespace gordian {
namespace {

// What the report's own text and the words around the answers take, at most.
constexpr size_t kRoomForWords = 4096;

// Inside a <script> element only "</script" and "<!--" mean anything to the page; JSON may write
// any character as an escape, so no "<" is left at all.
std::string WithoutTags(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char character : json) {
    if (character == '<') {
      safe += "\\u003c";
    } else {
      safe += character;
    }
  }
  return safe;
}

std::string AnswerJson(const EmbeddedAnswer& answer) {
  JsonWriter question;
  question.String(answer.question);
  return absl::StrCat(WithoutTags(std::string(question.text())), ":",
                      answer.binary
                          ? absl::StrCat("{\"base64\":\"", absl::Base64Escape(answer.body), "\"}")
                          : WithoutTags(answer.body));
}

// Those that find room, in their order; "left_out" is how many do not.
std::string AnswersJson(std::span<const EmbeddedAnswer> answers, size_t room) {
  std::string kept;
  size_t left_out = 0;
  for (const EmbeddedAnswer& answer : answers) {
    const std::string json = AnswerJson(answer);
    if (kept.size() + json.size() + 2 > room) {
      ++left_out;
    } else {
      absl::StrAppend(&kept, kept.empty() ? "" : ",\n", json);
    }
  }
  return absl::StrCat("{\"answers\":{", kept, "},\"left_out\":", left_out, "}");
}

// As the page reads it (web/app/report.js). A job of very many phases is told compressed, as its
// paths are much alike; all others can be read in the file.
std::string EmbeddedData(const pb::PageData& page, size_t room) {
  std::string json = WithoutTags(MessageJson(page, JsonShape::kCompact));
  if (json.size() <= room) return json;
  return absl::StrCat("{\"gzip\":\"", absl::Base64Escape(Gzip(json)), "\"}");
}

}  // namespace

std::string HtmlReport(const pb::PageData& page, std::span<const EmbeddedAnswer> answers) {
  const size_t room = kMostHtmlBytes - embedded::app_css.size() - embedded::report_js.size() -
                      embedded::report_html.size() - kRoomForWords;
  const std::string data = EmbeddedData(page, room);
  const std::string kept = AnswersJson(answers, room > data.size() ? room - data.size() : 0);
  std::string html;
  std::string_view rest = embedded::report_html;
  // One pass over the page's own text: inserted text is never searched for marks.
  for (const auto& [mark, text] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"@STYLE@", embedded::app_css},
           {"@DATA@", data},
           {"@ANSWERS@", kept},
           {"@SCRIPT@", embedded::report_js}}) {
    const size_t at = rest.find(mark);
    assert(at != std::string_view::npos);
    html.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  }
  return html.append(rest);
}

}  // namespace gordian
