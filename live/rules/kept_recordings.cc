// SPDX-License-Identifier: Apache-2.0
#include "live/rules/kept_recordings.h"

#include <errno.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".unfinished";
constexpr const char* kFrameFile = "frame.json";

absl::Status Failure(const std::error_code& error, std::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(error.value(), absl::StrCat(std::string(what), " ", path));
}

// 20261124T030501Z of 2026-11-24T03:05:01Z. Names in their order are times in their order.
std::string CompactTime(const KeepRequest& request) {
  std::string compact;
  for (const char c : request.at)
    if ((c >= '0' && c <= '9') || c == 'T' || c == 'Z') compact += c;
  return compact.empty() ? absl::StrCat("at-", static_cast<int64_t>(request.to_s), "s") : compact;
}

// Links are not followed: nothing outside the folder counts, or goes.
uint64_t SizeOfFolder(const fs::path& folder) {
  uint64_t size = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (fs::is_regular_file(at->symlink_status(ignored))) size += at->file_size(ignored);
  }
  return size;
}

// Only what we kept: other folders there are their owner's.
bool IsKept(const fs::directory_entry& entry) {
  std::error_code ignored;
  return fs::is_directory(entry.symlink_status(ignored)) &&
         !entry.path().filename().native().ends_with(kUnfinished) &&
         fs::is_regular_file(fs::symlink_status(entry.path() / kFrameFile, ignored));
}

struct KeptFolder {
  fs::path path;
  fs::file_time_type written;
  uint64_t bytes = 0;
};

// Oldest first.
absl::StatusOr<std::vector<KeptFolder>> ListKept(const std::string& directory) {
  std::vector<KeptFolder> kept;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (!IsKept(*at)) continue;
    std::error_code ignored;
    kept.push_back({at->path(), fs::last_write_time(at->path() / kFrameFile, ignored),
                    SizeOfFolder(at->path())});
  }
  if (error) return Failure(error, "cannot list", directory);
  std::sort(kept.begin(), kept.end(), [](const KeptFolder& a, const KeptFolder& b) {
    return std::pair(a.written, a.path) < std::pair(b.written, b.path);
  });
  return kept;
}

}  // namespace

KeptRecordings::KeptRecordings(std::string directory, KeptLimits limits)
    : directory_(std::move(directory)), limits_(limits) {}

absl::Status KeptRecordings::Open() {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) return Failure(error, "cannot make the folder", directory_);
  std::vector<fs::path> unfinished;
  for (fs::directory_iterator at(directory_, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename().native().ends_with(kUnfinished) &&
        fs::is_directory(at->symlink_status(ignored)))
      unfinished.push_back(at->path());
  }
  if (error) return Failure(error, "cannot list", directory_);
  for (const fs::path& path : unfinished) fs::remove_all(path, error);
  return absl::OkStatus();
}

absl::StatusOr<std::string> KeptRecordings::Keep(const KeepRequest& request) {
  const std::string name = absl::StrCat(CompactTime(request), "-", request.rule);
  std::string path = absl::StrCat(directory_, "/", name);
  std::error_code error;
  for (int number = 2; fs::exists(fs::symlink_status(path, error)); ++number)
    path = absl::StrCat(directory_, "/", name, "-", number);
  const std::string unfinished = absl::StrCat(path, std::string(kUnfinished));
  absl::Status filled = FillFolder(request, unfinished);
  if (filled.ok()) {
    fs::rename(unfinished, path, error);
    if (error) filled = Failure(error, "cannot rename", unfinished);
  }
  if (!filled.ok()) {
    fs::remove_all(unfinished, error);
    return filled;
  }
  if (const absl::Status room = MakeRoom(path); !room.ok()) return room;
  return path;
}

absl::Status KeptRecordings::FillFolder(const KeepRequest& request,
                                        const std::string& folder) const {
  if (absl::Status cut = request.cut(request.length_ns, folder); !cut.ok()) return cut;
  const std::string path = absl::StrCat(folder, "/", kFrameFile);
  std::ofstream file(path, std::ios::binary);
  file << request.frame_json << "\n";
  file.close();
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

absl::Status KeptRecordings::MakeRoom(const std::string& newest) const {
  auto kept = ListKept(directory_);
  if (!kept.ok()) return kept.status();
  size_t count = kept->size();
  uint64_t bytes = 0;
  for (const KeptFolder& folder : *kept) bytes += folder.bytes;
  for (const KeptFolder& folder : *kept) {
    if (count <= limits_.most && bytes <= limits_.most_bytes) break;
    if (folder.path == newest) continue;
    std::error_code error;
    fs::remove_all(folder.path, error);
    if (error) return Failure(error, "cannot remove", folder.path);
    --count;
    bytes -= folder.bytes;
  }
  return absl::OkStatus();
}

}  // namespace gordian
