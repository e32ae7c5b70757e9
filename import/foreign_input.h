// SPDX-License-Identifier: Apache-2.0
// Inner to the imports: the file that is read, and the folder that appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "import/import.h"
#include "import/line_reader.h"

namespace gordian {

class ForeignFile {
 public:
  static absl::StatusOr<std::unique_ptr<ForeignFile>> Open(const std::string& file);
  // Likewise of what a file compressed by gzip or zstd holds: it is unpacked into a file without a
  // name in `scratch`. InvalidArgument if it is cut, damaged, or grows beyond measure.
  static absl::StatusOr<std::unique_ptr<ForeignFile>> OpenUnpacked(
      const std::string& file, const std::filesystem::path& scratch,
      const std::function<absl::Status(uint64_t bytes)>& progress);
  ~ForeignFile();
  ForeignFile(const ForeignFile&) = delete;
  ForeignFile& operator=(const ForeignFile&) = delete;

  int fd() const { return fd_; }
  uint64_t size_bytes() const;  // 0: not known, as of a pipe

 private:
  explicit ForeignFile(int fd) : fd_(fd) {}
  int fd_;
};

// A folder beside `directory`, on the same file system. It is gone with all its contents at the
// end.
class Workshop {
 public:
  // AlreadyExists if `directory` is there and not empty.
  static absl::StatusOr<std::unique_ptr<Workshop>> MakeBeside(const std::string& directory);
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // Where the result grows. One level down, so that it has an ordinary folder's permissions.
  std::filesystem::path growing() const { return path_ / "session"; }
  // For files that the result does not hold.
  const std::filesystem::path& scratch() const { return path_; }
  // Where it shall be; absolute.
  const std::filesystem::path& directory() const { return directory_; }
  absl::Status MoveIntoPlace() const;

 private:
  Workshop(std::filesystem::path path, std::filesystem::path directory)
      : path_(std::move(path)), directory_(std::move(directory)) {}
  std::filesystem::path path_;
  std::filesystem::path directory_;
};

// Name, recorder and end of the session that an import writes.
void DescribeImport(const ImportOptions& options, const std::filesystem::path& directory,
                    pb::Session& session);

// As messages name it.
std::string ShownFile(const ImportOptions& options);

// Whether lines whose quotes are open are joined with the next ones (CSV of RFC 4180).
enum class LineJoining : uint8_t { kNone, kOpenQuotes };

// Gives each line to `take`, until the end, the first error, or when the progress says so. An
// InvalidArgument gets the file and the line before its message.
absl::Status TakeLines(const ImportOptions& options, const ForeignFile& input, LineReader& reader,
                       LineJoining joining,
                       const std::function<absl::Status(std::string_view line)>& take);

}  // namespace gordian
