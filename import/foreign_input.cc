// SPDX-License-Identifier: Apache-2.0
#include "import/foreign_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "fmt/format.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLinesPerProgress = 1 << 14;

absl::Status ExpectFree(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (!fs::exists(status)) return absl::OkStatus();
  if (!fs::is_directory(status)) {
    return absl::AlreadyExistsError(
        fmt::format("{} is there already and no folder; choose another -o", directory.string()));
  }
  if (!fs::is_empty(directory, error) || error) {
    return absl::AlreadyExistsError(fmt::format(
        "{} is not empty; choose another -o, nothing is overwritten", directory.string()));
  }
  return absl::OkStatus();
}

bool HasOpenQuote(std::string_view text) {
  return std::count(text.begin(), text.end(), '"') % 2 != 0;
}

// The lines of one record: the first, and those behind it as long as a quote is open. A quote that
// nothing closes ends with the file, or with what a record may have.
class RecordReader {
 public:
  RecordReader(LineReader& lines, LineJoining joining) : lines_(lines), joining_(joining) {}

  bool Next(std::string_view& record) {
    if (!lines_.Next(record)) return false;
    line_number_ = lines_.line_number();
    if (joining_ == LineJoining::kNone || !HasOpenQuote(record)) return true;
    joined_.assign(record);
    std::string_view line;
    while (joined_.size() <= LineReader::kMaxLineBytes && lines_.Next(line)) {
      joined_ += '\n';
      joined_ += line;
      if (HasOpenQuote(line)) break;
    }
    record = joined_;
    return lines_.status().ok();
  }

  uint64_t line_number() const { return line_number_; }  // of the record's first line

 private:
  LineReader& lines_;
  LineJoining joining_;
  std::string joined_;
  uint64_t line_number_ = 0;
};

absl::Status AtLine(const ImportOptions& options, uint64_t line, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InvalidArgumentError(
      fmt::format("{}:{}: {}", ShownFile(options), line, std::string(status.message())));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ForeignFile>> ForeignFile::Open(const std::string& file) {
  const int fd = file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, fmt::format("cannot open {}", file));
  return std::unique_ptr<ForeignFile>(new ForeignFile(fd));
}

ForeignFile::~ForeignFile() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

uint64_t ForeignFile::size_bytes() const {
  struct stat about {};
  if (::fstat(fd_, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  return static_cast<uint64_t>(about.st_size);
}

absl::StatusOr<std::unique_ptr<Workshop>> Workshop::MakeBeside(const std::string& directory) {
  fs::path place = fs::absolute(directory).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();  // it ended in a slash
  if (absl::Status status = ExpectFree(place); !status.ok()) return status;
  std::string path =
      place.parent_path() / fmt::format(".{}.importing-XXXXXX", place.filename().string());
  if (::mkdtemp(path.data()) == nullptr) {
    return absl::ErrnoToStatus(
        errno, fmt::format("cannot make a folder in {}", place.parent_path().string()));
  }
  return std::unique_ptr<Workshop>(new Workshop(path, std::move(place)));
}

Workshop::~Workshop() {
  std::error_code ignored;  // files that cannot be removed stay visible under a name that tells
                            // their origin
  fs::remove_all(path_, ignored);
}

absl::Status Workshop::MoveIntoPlace() const {
  std::error_code error;
  fs::rename(growing(), directory_, error);  // onto nothing, or onto an empty folder
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("cannot make {}: {}", directory_.string(), error.message()));
}

void DescribeImport(const ImportOptions& options, const fs::path& directory, pb::Session& session) {
  session.set_name(directory.filename().string());
  session.set_recorder_version(options.recorder_version);
  session.set_backend("import");
  session.set_complete(true);
  session.set_end_reason("end of the imported file");
}

std::string ShownFile(const ImportOptions& options) {
  return options.file == "-" ? "standard input" : options.file;
}

absl::Status TakeLines(const ImportOptions& options, const ForeignFile& input, LineReader& reader,
                       LineJoining joining,
                       const std::function<absl::Status(std::string_view line)>& take) {
  RecordReader records(reader, joining);
  ImportProgress progress{.file_bytes = input.size_bytes()};
  uint64_t next_progress = kLinesPerProgress;
  std::string_view record;
  while (records.Next(record)) {
    if (absl::Status status = take(record); !status.ok())
      return AtLine(options, records.line_number(), status);
    if (!options.progress || reader.line_number() < next_progress) continue;
    next_progress = reader.line_number() + kLinesPerProgress;
    progress.lines = reader.line_number();
    progress.bytes_read = reader.bytes_read();
    if (absl::Status status = options.progress(progress); !status.ok()) return status;
  }
  if (reader.status().ok()) return absl::OkStatus();
  if (absl::IsInvalidArgument(reader.status()))
    return AtLine(options, reader.line_number(), reader.status());
  return absl::Status(reader.status().code(), fmt::format("{} {}", ShownFile(options),
                                                          std::string(reader.status().message())));
}

}  // namespace gordian
