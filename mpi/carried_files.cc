// SPDX-License-Identifier: Apache-2.0
#include "mpi/carried_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/segment_name.h"
#include "trace/trace_event.h"

namespace gordian {
namespace {

constexpr std::string_view kFile = "file:";
// Names of code are the largest of them (trace/session_symbols.h).
constexpr uint64_t kMostFileBytes = uint64_t{1} << 30;

// What programs said, of phases for one, has a stream of its own, and is carried.
bool HoldsEvents(const std::string& name) {
  const auto segment = ParseSegmentFileName(name);
  const bool holds_words = segment && segment->stream == StreamId{BlockKind::kEvents, kNoCpu};
  return segment && segment->stream.kind != BlockKind::kResources && !holds_words;
}

absl::Status WriteFile(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file.good() ? absl::OkStatus()
                     : absl::ResourceExhaustedError(absl::StrCat("cannot write ", path));
}

}  // namespace

absl::Status KeepFiles(const std::string& directory, StoreWriter& writer) {
  std::error_code error;
  for (const auto& found : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = found.path().filename();
    if (!found.is_regular_file(error) || HoldsEvents(name)) continue;
    if (found.file_size(error) > kMostFileBytes)
      return absl::ResourceExhaustedError(absl::StrCat(found.path().string(), " is too large"));
    std::ifstream file(found.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    writer.AddBytes(absl::StrCat(std::string(kFile), name),
                    std::as_bytes(std::span(bytes.data(), bytes.size())));
  }
  return error ? absl::NotFoundError(absl::StrCat("cannot read ", directory)) : absl::OkStatus();
}

// session.pb comes last: it tells that all are there.
absl::Status WriteFiles(StoredEntry& entry, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::ResourceExhaustedError(absl::StrCat("cannot make ", folder));
  std::vector<std::string> names;
  for (const std::string& section : entry.Sections()) {
    if (!section.starts_with(kFile)) continue;
    const std::string name = section.substr(kFile.size());
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
      return absl::DataLossError("a unit holds a file of a name that no session has");
    names.push_back(name);
  }
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name != kSessionFileName; });
  for (const std::string& name : names) {
    const auto bytes = entry.Section(absl::StrCat(std::string(kFile), name));
    if (!bytes.ok()) return bytes.status();
    if (absl::Status status = WriteFile(absl::StrCat(folder, "/", name), *bytes); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

bool AreFilesWritten(const std::string& folder) {
  return std::filesystem::exists(absl::StrCat(folder, "/", kSessionFileName));
}

}  // namespace gordian
