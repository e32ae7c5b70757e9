#include "analyzer/report/folded_waits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "analyzer/report/clean_text.h"
#include "analyzer/report/vertex_names.h"

namespace gordian {
namespace {

// A semicolon parts two frames.
std::string Frame(std::string text) {
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

}  // namespace

std::string FoldedWaits(const pb::Report& report) {
  const VertexNames names(report);
  std::string text;
  for (const pb::ReportEdge& edge : report.edges()) {
    const pb::ReportVertex* waiter = names.Find(edge.from());
    const auto waited_us = static_cast<uint64_t>(std::llround(std::max(0.0, edge.own_s()) * 1e6));
    // A device's idle time is not a thread's wait.
    if (waited_us == 0 || !waiter || !IsThreadKind(waiter->kind())) continue;
    const std::string process = waiter->process().empty() ? "?" : CleanText(waiter->process());
    absl::StrAppend(&text, Frame(process), ";", Frame(names.Name(edge.from())), ";waits for ",
                    Frame(names.Name(edge.to())), " ", waited_us, "\n");
  }
  return text;
}

}  // namespace gordian
