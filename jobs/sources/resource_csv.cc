// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/resource_csv.h"

#include <array>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "jobs/logs/log_time.h"
#include "jobs/models/phase_model.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

constexpr std::array<std::string_view, 5> kTitles = {"time", "resource", "value", "capacity",
                                                     "node"};
enum Column : size_t { kTime, kResource, kValue, kCapacity, kNode };
constexpr size_t kMaxColumns = 100;

// The fields of a line; false if its quotes make no sense.
bool Split(std::string_view line, std::vector<std::string>& fields) {
  fields.clear();
  for (size_t at = 0;;) {
    std::string& field = fields.emplace_back();
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return false;
        if (line[at] == '"' && line.substr(at, 2) != "\"\"") break;
        if (line[at] == '"') ++at;
        field += line[at];
      }
      ++at;
      if (at < line.size() && line[at] != ',') return false;
    } else {
      const size_t end = std::min(line.find(',', at), line.size());
      field.assign(line.substr(at, end - at));
      at = end;
    }
    if (at >= line.size()) return true;
    ++at;
    if (fields.size() >= kMaxColumns) return false;
  }
}

class CsvReader {
 public:
  CsvReader(const std::string& path, const std::string& zone, LogSinks& sinks)
      : path_(path), sinks_(sinks), time_({.pattern = {}, .zone = zone.empty() ? "UTC" : zone}) {
    where_.fill(kMaxColumns);
  }

  absl::Status Read() {
    const auto bytes = OpenLog(path_);
    if (!bytes.ok()) return bytes.status();
    LogLines lines(**bytes);
    std::string_view line;
    bool titles = false;
    while (lines.Next(line)) {
      if (line.empty()) continue;
      if (!titles) {
        absl::Status status = TakeTitles(line, lines.line_number());
        if (!status.ok()) return status;
        titles = true;
      } else if (!TakeLine(line)) {
        sinks_.tally.CountFault("resource_samples_malformed", faulty_, BaseName(path_),
                                lines.line_number(), [&] { return Fault(line); });
      }
    }
    if (!lines.status().ok()) return lines.status();
    if ((*bytes)->cut_short()) sinks_.tally.Count("log_files_cut_short");
    if (!titles)
      return absl::InvalidArgumentError(
          absl::StrCat(path_, ":1: empty: time,resource,value,capacity is expected"));
    return absl::OkStatus();
  }

 private:
  absl::Status TakeTitles(std::string_view line, uint64_t number) {
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    const bool good = Split(line, fields_);
    for (size_t i = 0; good && i < fields_.size(); ++i) {
      for (size_t column = 0; column < kTitles.size(); ++column) {
        if (fields_[i] == kTitles[column]) where_[column] = i;
      }
    }
    for (const Column needed : {kTime, kResource, kValue}) {
      if (where_[needed] == kMaxColumns)
        return absl::InvalidArgumentError(absl::StrCat(
            path_, ":", number, ": there is no column '", std::string(kTitles[needed]),
            "': the first line must name the columns time,resource,value[,capacity][,node]"));
    }
    return absl::OkStatus();
  }

  std::string_view At(Column column) const {
    const size_t index = where_[column];
    return index < fields_.size() ? std::string_view(fields_[index]) : std::string_view();
  }
  bool Number(Column column, double& value) const {
    const std::string_view text = At(column);
    return absl::SimpleAtod(absl::string_view(text.data(), text.size()), &value);
  }

  bool Lacks(Column column) {
    faulty_ = column;
    return false;
  }
  std::string Fault(std::string_view line) const {
    if (faulty_ == kTitles.size()) return absl::StrCat("its quotes do not fit: ", ShortText(line));
    const std::string_view value = At(static_cast<Column>(faulty_));
    return absl::StrCat("column ", std::string(kTitles[faulty_]),
                        value.empty()
                            ? std::string(" is missing")
                            : absl::StrCat(" is '", ShortText(value), "', which does not fit"),
                        "; the line: ", ShortText(line));
  }

  bool TakeLine(std::string_view line) {
    faulty_ = kTitles.size();
    if (!Split(line, fields_)) return false;
    if (At(kResource).empty()) return Lacks(kResource);
    const auto parsed = time_.Parse(At(kTime));
    const auto time = parsed ? sinks_.clock.FromWall(*parsed) : std::nullopt;
    double value = 0, capacity = 0;
    if (!time) return Lacks(kTime);
    if (!Number(kValue, value)) return Lacks(kValue);
    if (!At(kCapacity).empty() && !Number(kCapacity, capacity)) return Lacks(kCapacity);
    const std::string_view resource = At(kResource);
    const size_t slash = std::min(resource.find('/'), resource.size());
    const std::string_view instance =
        slash < resource.size() ? resource.substr(slash + 1) : resource;
    PhaseCollector& collector = sinks_.collector;
    const ResourceTypeId type = collector.types().ResourceOrNew(
        {.name = std::string(resource.substr(0, slash)), .per_node = where_[kNode] != kMaxColumns});
    if (type == kNoId) return Lacks(kResource);
    MeasuredResources& resources = collector.resources();
    const std::string node =
        At(kNode).empty() ? collector.default_node() : collector.NodeName(At(kNode));
    resources.AddMeasurement(resources.Instance(type, instance, node), *time, value, capacity);
    return true;
  }

  const std::string& path_;
  LogSinks& sinks_;
  LogTimeParser time_;
  std::array<size_t, kTitles.size()> where_;
  std::vector<std::string> fields_;
  size_t faulty_ = 0;  // the column of the last line that does not fit; none: its quotes
};

}  // namespace

absl::Status ReadResourceCsv(const std::string& path, const std::string& zone, LogSinks& sinks) {
  return CsvReader(path, zone, sinks).Read();
}

}  // namespace gordian
