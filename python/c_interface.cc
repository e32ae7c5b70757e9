// SPDX-License-Identifier: Apache-2.0
#include "python/c_interface.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "python/open_recording.h"
#include "query/query.h"

namespace gordian {
namespace {

// A line that does not fit loses its end.
void TellLine(std::string_view message, char* line, size_t line_bytes) {
  if (line == nullptr || line_bytes == 0) return;
  const size_t size = std::min(message.size(), line_bytes - 1);
  std::memcpy(line, message.data(), size);
  line[size] = '\0';
}

// `work` with its failures as a line and a value. What it throws (no memory) is a failure, too.
template <typename Value, typename Work>
Value ValueOr(Value failed, char* line, size_t line_bytes, Work work) try {
  absl::StatusOr<Value> value = work();
  if (value.ok()) return *value;
  TellLine(std::string(value.status().message()), line, line_bytes);
  return failed;
} catch (const std::exception& error) {
  TellLine(error.what(), line, line_bytes);
  return failed;
}

StopAsked StopOf(gordian_stop stop) {
  if (stop == nullptr) return {};
  return [stop] { return stop() != 0; };
}

absl::Status BadOption(std::string_view name, std::string_view value) {
  return absl::InvalidArgumentError(
      absl::StrCat("the option ", std::string(name), " cannot be '", std::string(value), "'"));
}

absl::Status SetOption(std::string_view name, std::string_view value, AnalysisOptions& options) {
  TargetOptions& target = options.target;
  const std::string text(value);
  if (name == "comm") {
    target.comms.push_back(text);
  } else if (name == "cgroup") {
    target.cgroups.push_back(text);
  } else if (name == "node") {
    target.nodes.push_back(text);
  } else if (name == "pid") {
    int32_t pid = 0;
    if (!absl::SimpleAtoi(text, &pid) || pid <= 0) return BadOption(name, value);
    target.pids.push_back(pid);
  } else if (name == "memory") {
    if (!absl::SimpleAtoi(text, &options.memory.bytes)) return BadOption(name, value);
  } else if (name == "threads") {
    if (!absl::SimpleAtoi(text, &options.threads) || options.threads < 0)
      return BadOption(name, value);
  } else {
    return absl::InvalidArgumentError(absl::StrCat("there is no option ", std::string(name)));
  }
  return absl::OkStatus();
}

absl::StatusOr<AnalysisOptions> OptionsOf(const char* const* pairs) {
  AnalysisOptions options;
  for (; pairs != nullptr && pairs[0] != nullptr && pairs[1] != nullptr; pairs += 2) {
    if (absl::Status set = SetOption(pairs[0], pairs[1], options); !set.ok()) return set;
  }
  return options;
}

absl::StatusOr<std::shared_ptr<OpenRecording>> RecordingOfNumber(int64_t number) {
  auto recording = OpenRecordings().Find(number);
  if (recording == nullptr) return absl::FailedPreconditionError("the recording is closed");
  return recording;
}

}  // namespace
}  // namespace gordian

using gordian::ValueOr;

int32_t gordian_open_recording(const char* directory, const char* const* options, int64_t* number,
                               gordian_stop stop, char* line, size_t line_bytes) {
  return ValueOr<int32_t>(-1, line, line_bytes, [&]() -> absl::StatusOr<int32_t> {
    if (directory == nullptr) return absl::InvalidArgumentError("name a recording's folder");
    auto given = gordian::OptionsOf(options);
    if (!given.ok()) return given.status();
    auto recording =
        gordian::OpenRecording::Open(directory, *std::move(given), gordian::StopOf(stop));
    if (!recording.ok()) return recording.status();
    *number = gordian::OpenRecordings().Add(*std::move(recording));
    return 0;
  });
}

void gordian_close_recording(int64_t recording) { gordian::OpenRecordings().Remove(recording); }

int32_t gordian_make_arrays(int64_t recording, const char* table, gordian_stop stop, char* line,
                            size_t line_bytes) {
  return ValueOr<int32_t>(-1, line, line_bytes, [&]() -> absl::StatusOr<int32_t> {
    if (table == nullptr) return absl::InvalidArgumentError("name a table");
    const auto found = gordian::RecordingOfNumber(recording);
    if (!found.ok()) return found.status();
    const auto arrays = (*found)->ArraysOf(table, gordian::StopOf(stop));
    if (!arrays.ok()) return arrays.status();
    return static_cast<int32_t>(arrays->columns().size());
  });
}

int32_t gordian_array_of(int64_t recording, const char* table, int32_t column, gordian_array* array,
                         char* line, size_t line_bytes) {
  return ValueOr<int32_t>(-1, line, line_bytes, [&]() -> absl::StatusOr<int32_t> {
    if (table == nullptr) return absl::InvalidArgumentError("name a table");
    const auto found = gordian::RecordingOfNumber(recording);
    if (!found.ok()) return found.status();
    const auto arrays = (*found)->ArraysOf(table, {});
    if (!arrays.ok()) return arrays.status();
    const auto columns = arrays->columns();
    if (column < 0 || static_cast<size_t>(column) >= columns.size())
      return absl::OutOfRangeError("there is no such column");
    const gordian::TableArray& one = columns[static_cast<size_t>(column)];
    *array = {.name = one.name.c_str(),
              .values = one.values.data(),
              .rows = arrays->rows(),
              .value_bytes = static_cast<uint32_t>(gordian::BytesOfValue(one.type)),
              .value_kind = one.type == gordian::ArrayType::kReal ? 'f' : 'i',
              .is_text = one.is_text ? '\1' : '\0',
              .words = one.words.data(),
              .word_ends = one.word_ends.data(),
              .word_count = one.word_ends.size()};
    return 0;
  });
}

int32_t gordian_analyze_recording(int64_t recording, gordian_stop stop, char* line,
                                  size_t line_bytes) {
  return ValueOr<int32_t>(-1, line, line_bytes, [&]() -> absl::StatusOr<int32_t> {
    const auto found = gordian::RecordingOfNumber(recording);
    if (!found.ok()) return found.status();
    const auto analysis = (*found)->Analyzed(gordian::StopOf(stop));
    if (!analysis.ok()) return analysis.status();
    return 0;
  });
}

const char* gordian_schema() {
  static const std::string text = gordian::SchemaText();
  return text.c_str();
}

const char* gordian_version() { return GORDIAN_VERSION; }
