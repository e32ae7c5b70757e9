#include "report/vertex_names.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

std::string PlainName(const pb::ReportVertex& vertex) {
  if (!vertex.node().empty()) {
    std::string name = CleanText(vertex.node()) + "/";
    if (IsThreadKind(vertex.kind()) && !vertex.process().empty())
      absl::StrAppend(&name, CleanText(vertex.process()), "/");
    return absl::StrCat(name, vertex.name().empty() ? absl::StrCat("thread ", vertex.tid())
                                                    : CleanText(vertex.name()));
  }
  if (!vertex.name().empty()) return CleanText(vertex.name());
  return vertex.tid() != 0 ? absl::StrCat("thread ", vertex.tid()) : absl::StrCat("#", vertex.id());
}

std::string FullerName(const pb::ReportVertex& vertex) {
  if (vertex.tid() != 0) return absl::StrCat(PlainName(vertex), "/", vertex.tid());
  if (vertex.node().empty() && !vertex.process().empty() && vertex.process() != vertex.name())
    return absl::StrCat(PlainName(vertex), " (", CleanText(vertex.process()), ")");
  return absl::StrCat(PlainName(vertex), " #", vertex.id());
}

}  // namespace

VertexNames::VertexNames(const pb::Report& report) {
  std::map<std::string, int> plain_uses, fuller_uses;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    vertices_[vertex.id()] = &vertex;
    ++plain_uses[PlainName(vertex)];
    ++fuller_uses[FullerName(vertex)];
  }
  for (const pb::ReportVertex& vertex : report.vertices()) {
    std::string name = PlainName(vertex);
    if (plain_uses[name] > 1) name = FullerName(vertex);
    if (plain_uses[PlainName(vertex)] > 1 && fuller_uses[name] > 1)
      name = absl::StrCat(PlainName(vertex), " #", vertex.id());
    names_[vertex.id()] = std::move(name);
  }
}

const std::string& VertexNames::Name(uint32_t vertex) const {
  static const std::string kNone = "?";
  const auto found = names_.find(vertex);
  return found == names_.end() ? kNone : found->second;
}

const pb::ReportVertex* VertexNames::Find(uint32_t vertex) const {
  const auto found = vertices_.find(vertex);
  return found == vertices_.end() ? nullptr : found->second;
}

bool IsThreadKind(const std::string& kind) { return kind == "thread" || kind == "group"; }

}  // namespace gordian
