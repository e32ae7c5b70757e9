// SPDX-License-Identifier: Apache-2.0
#include "report/missing_names.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "report/in_scope.h"

namespace gordian {
namespace {

using Stacks = google::protobuf::RepeatedPtrField<pb::CodeStack>;
using Files = std::set<std::string, std::less<>>;

void AddUnnamedFiles(const Stacks& stacks, const pb::Report& report, Files& files) {
  for (const pb::CodeStack& stack : stacks) {
    for (const uint32_t index : stack.frames()) {
      const pb::CodeFrame& frame = report.code(static_cast<int>(index));
      if (frame.function().empty()) files.insert(frame.module());
    }
  }
}

Files UnnamedFilesInScope(const pb::Report& report) {
  const std::vector<char> in_scope = InScope(report);
  Files files;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    if (in_scope[vertex.id()]) AddUnnamedFiles(vertex.running_stacks(), report, files);
  }
  for (const pb::ReportEdge& edge : report.edges()) {
    if (!in_scope[edge.from()]) continue;
    AddUnnamedFiles(edge.waiter_stacks(), report, files);
    AddUnnamedFiles(edge.waker_stacks(), report, files);
  }
  return files;
}

// The file that a note begins with; empty: the note is about something else. Paths hold spaces.
std::string_view FileOf(std::string_view note, const Files& files) {
  constexpr size_t kLongestPath = 4096;
  const size_t most = std::min(note.size(), kLongestPath);
  for (size_t end = note.find(' '); end < most; end = note.find(' ', end + 1)) {
    if (files.count(note.substr(0, end)) > 0) return note.substr(0, end);
  }
  return {};
}

}  // namespace

void AddMissingNames(const Code& code, pb::Report& report) {
  Files all;
  for (const CodeFrame& frame : code.frames()) {
    if (frame.function.empty() && !frame.module.empty()) all.insert(frame.module);
  }
  const Files in_scope = UnnamedFilesInScope(report);
  for (const std::string& note : code.notes()) {
    const std::string_view file = FileOf(note, all);
    if (file.empty() || in_scope.count(file) > 0) report.add_missing_names(note);
  }
}

}  // namespace gordian
