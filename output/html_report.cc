// SPDX-License-Identifier: Apache-2.0
#include "output/html_report.h"

#include <cassert>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "output/message_json.h"
#include "web/web_page.h"

namespace gordian {
namespace {

// The script's parts use each other's names: definitions before code that runs at once.
std::string Script() {
  std::string script;
  for (const std::string_view part :
       {embedded::script_data_js,      embedded::script_words_js,       embedded::script_layout_js,
        embedded::script_graph_js,     embedded::script_charts_js,      embedded::script_flames_js,
        embedded::script_panel_js,     embedded::script_tables_js,      embedded::script_path_js,
        embedded::script_told_js,      embedded::script_phases_js,      embedded::script_lanes_js,
        embedded::script_gantt_js,     embedded::script_gantt_moves_js, embedded::script_uses_js,
        embedded::script_use_chart_js, embedded::script_held_strip_js,  embedded::script_boxes_js,
        embedded::script_gains_js,     embedded::script_main_js})
    script += part;
  return script;
}

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

}  // namespace

std::string HtmlReport(const pb::PageData& page) {
  const std::string data = WithoutTags(MessageJson(page, JsonShape::kCompact));
  const std::string script = Script();
  std::string html;
  std::string_view rest = embedded::page_html;
  // One pass over the page's own text: inserted text is never searched for marks.
  for (const auto& [mark, text] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"@STYLE@", embedded::page_css}, {"@DATA@", data}, {"@SCRIPT@", script}}) {
    const size_t at = rest.find(mark);
    assert(at != std::string_view::npos);
    html.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  }
  return html.append(rest);
}

}  // namespace gordian
