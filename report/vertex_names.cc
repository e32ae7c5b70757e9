// SPDX-License-Identifier: Apache-2.0
#include "report/vertex_names.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kMostNearest = 5;

// The same as of the graph that the report was made of, so that the same labels come of them.
std::vector<VertexFacts> FactsOf(const pb::Report& report) {
  std::vector<VertexFacts> facts;
  facts.reserve(static_cast<size_t>(report.vertices_size()));
  for (const pb::ReportVertex& vertex : report.vertices()) {
    facts.push_back({.id = vertex.id(),
                     .kind = vertex.kind(),
                     .name = vertex.name(),
                     .process = vertex.process(),
                     .node = vertex.node(),
                     .container = vertex.container(),
                     .tid = vertex.tid(),
                     .threads = static_cast<uint64_t>(vertex.members_size())});
  }
  return facts;
}

const std::string& None() {
  static const std::string none = "?";
  return none;
}

}  // namespace

VertexNames::VertexNames(const pb::Report& report) : labels_(FactsOf(report)) {
  for (const pb::ReportVertex& vertex : report.vertices()) {
    vertices_[vertex.id()] = {&vertex, ids_.size()};
    ids_.push_back(vertex.id());
  }
}

const std::string& VertexNames::Name(uint32_t vertex) const {
  const auto found = vertices_.find(vertex);
  return found == vertices_.end() ? None() : labels_.label(found->second.position);
}

const std::string& VertexNames::Phrase(uint32_t vertex) const {
  const auto found = vertices_.find(vertex);
  return found == vertices_.end() ? None() : labels_.phrase(found->second.position);
}

const pb::ReportVertex* VertexNames::Find(uint32_t vertex) const {
  const auto found = vertices_.find(vertex);
  return found == vertices_.end() ? nullptr : found->second.vertex;
}

std::vector<uint32_t> VertexNames::Called(std::string_view text) const {
  std::vector<uint32_t> called;
  for (const size_t position : labels_.Find(text)) called.push_back(ids_[position]);
  return called;
}

std::vector<std::vector<uint32_t>> VertexNames::Meanings(std::string_view text) const {
  std::vector<std::vector<uint32_t>> meanings;
  const auto add = [&](std::vector<uint32_t> meaning) {
    if (!meaning.empty() && (meanings.empty() || meanings.back() != meaning))
      meanings.push_back(std::move(meaning));
  };
  for (const std::vector<size_t>& positions : labels_.Meanings(text)) {
    std::vector<uint32_t> all, in_scope;
    for (const size_t position : positions) {
      all.push_back(ids_[position]);
      if (Find(ids_[position])->in_scope()) in_scope.push_back(ids_[position]);
    }
    add(std::move(in_scope));
    add(std::move(all));
  }
  return meanings;
}

size_t VertexNames::Distance(std::string_view text, uint32_t vertex) const {
  const auto found = vertices_.find(vertex);
  return found == vertices_.end() ? text.size() : labels_.Distance(text, found->second.position);
}

absl::Status VertexNames::NoneCalled(std::string_view text) const {
  std::string names;
  for (const std::string& label : labels_.Nearest(text, kMostNearest))
    absl::StrAppend(&names, names.empty() ? "" : ", ", label);
  return absl::NotFoundError(absl::StrCat(
      "no thread, group or device is called ", CleanText(text), names.empty() ? "" : "; there are ",
      names, labels_.size() > kMostNearest ? " and others: gordian graph lists them" : ""));
}

bool IsThreadKind(const std::string& kind) { return kind == "thread" || kind == "group"; }

}  // namespace gordian
