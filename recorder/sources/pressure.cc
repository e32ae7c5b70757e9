// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/pressure.h"

#include <memory>
#include <optional>
#include <string_view>

#include "base/time_units.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

// The kernel adds up what has passed when it makes its averages: every two seconds.
constexpr uint64_t kStepNs = 2 * kNsPerSecond;

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=533538", in microseconds.
std::optional<uint64_t> TotalNs(std::string_view line) {
  constexpr std::string_view kTotal = "total=";
  while (!line.empty()) {
    const std::string_view field = TakeField(line);
    if (!field.starts_with(kTotal)) continue;
    const std::optional<uint64_t> us = ParseNumber(field.substr(kTotal.size()));
    if (!us || *us > UINT64_MAX / 1'000) return {};
    return *us * 1'000;
  }
  return {};
}

}  // namespace

Pressure::File::File(const std::string& path, const std::string& name)
    : text(path),
      some{{pb::RESOURCE_PRESSURE, name + "/some", kNsPerSecond}, TimeShareMeter(kStepNs)},
      full{{pb::RESOURCE_PRESSURE, name + "/full", kNsPerSecond}, TimeShareMeter(kStepNs)} {}

Pressure::Pressure(const SystemPaths& paths) {
  for (const std::string name : {"cpu", "memory", "io"})
    files_.push_back(std::make_unique<File>(paths.proc + "/pressure/" + name, name));
}

void Pressure::Sample(ResourceSink& sink, uint64_t& missed) {
  for (const std::unique_ptr<File>& file : files_) {
    std::optional<std::string_view> text = file->text.Read();
    if (!text) continue;
    while (!text->empty()) {
      std::string_view rest = TakeLine(*text);
      const std::string_view kind = TakeField(rest);
      if (kind != "some" && kind != "full") continue;
      Line& line = kind == "some" ? file->some : file->full;
      const std::optional<uint64_t> total_ns = TotalNs(rest);
      if (!total_ns) {
        ++missed;
        continue;
      }
      if (const auto reading = line.meter.Read(sink.now_ns(), *total_ns, missed))
        sink.Add(line.resource, *reading);
    }
  }
}

}  // namespace gordian
