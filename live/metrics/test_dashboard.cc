// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/test_dashboard.h"

#include <rapidjson/document.h>

#include <fstream>
#include <iterator>
#include <utility>

namespace gordian {
namespace {

std::string TextAt(const rapidjson::Value& object, const char* key) {
  const auto found = object.FindMember(key);
  return found != object.MemberEnd() && found->value.IsString() ? found->value.GetString() : "";
}

}  // namespace

std::vector<DashboardQuestion> ReadDashboard(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  std::vector<DashboardQuestion> questions;
  if (document.HasParseError() || !document.IsObject() || !document.HasMember("panels"))
    return questions;
  for (const auto& panel : document["panels"].GetArray())
    for (const auto& target : panel["targets"].GetArray())
      questions.push_back({.panel = TextAt(panel, "title"),
                           .expression = TextAt(target, "expr"),
                           .legend = TextAt(target, "legendFormat"),
                           .datasource = TextAt(target["datasource"], "uid")});
  return questions;
}

}  // namespace gordian
