// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "import/csv_translator.h"
#include "import/line_reader.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLinesPerProgress = 1 << 14;

class ForeignFile {
 public:
  explicit ForeignFile(const std::string& file)
      : fd_(file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~ForeignFile() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  ForeignFile(const ForeignFile&) = delete;
  ForeignFile& operator=(const ForeignFile&) = delete;

  int fd() const { return fd_; }
  uint64_t size_bytes() const {
    struct stat about {};
    if (::fstat(fd_, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    return static_cast<uint64_t>(about.st_size);
  }

 private:
  int fd_;
};

// A folder beside `directory`, on the same file system, that is gone with all its contents at the
// end.
class Workshop {
 public:
  static absl::StatusOr<std::unique_ptr<Workshop>> MakeBeside(const fs::path& directory) {
    std::string path = directory.parent_path() /
                       fmt::format(".{}.importing-XXXXXX", directory.filename().string());
    if (::mkdtemp(path.data()) == nullptr) {
      return absl::ErrnoToStatus(
          errno, fmt::format("cannot make a folder in {}", directory.parent_path().string()));
    }
    return std::unique_ptr<Workshop>(new Workshop(path));
  }
  ~Workshop() {
    std::error_code ignored;  // files that cannot be removed stay visible under a name that tells
                              // their origin
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // Where the session grows. One level down, so that it has an ordinary folder's permissions.
  fs::path session_directory() const { return path_ / "session"; }

 private:
  explicit Workshop(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

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

// Ends with the file, at the first wrong line, or when `progress` says so.
absl::Status Translate(const ImportOptions& options, const ForeignFile& input, LineReader& reader,
                       CsvTranslator& translator) {
  const std::string shown = options.file == "-" ? "standard input" : options.file;
  ImportProgress progress{.file_bytes = input.size_bytes()};
  std::string_view line;
  while (reader.Next(line)) {
    if (absl::Status status = translator.TakeLine(line); !status.ok()) {
      if (!absl::IsInvalidArgument(status)) return status;
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: {}", shown, reader.line_number(), std::string(status.message())));
    }
    if (options.progress && reader.line_number() % kLinesPerProgress == 0) {
      progress.lines = reader.line_number();
      progress.bytes_read = reader.bytes_read();
      if (absl::Status status = options.progress(progress); !status.ok()) return status;
    }
  }
  if (absl::IsInvalidArgument(reader.status())) {
    return absl::InvalidArgumentError(fmt::format("{}:{}: {}", shown, reader.line_number(),
                                                  std::string(reader.status().message())));
  }
  if (!reader.status().ok()) {
    return absl::Status(reader.status().code(),
                        fmt::format("{} {}", shown, std::string(reader.status().message())));
  }
  return absl::OkStatus();
}

void Describe(const ImportOptions& options, const fs::path& directory, pb::Session& session) {
  session.set_name(directory.filename().string());
  session.set_recorder_version(options.recorder_version);
  session.set_backend("import");
  session.set_complete(true);
  session.set_end_reason("end of the imported file");
}

absl::Status MoveInto(const fs::path& from, const fs::path& directory) {
  std::error_code error;
  fs::rename(from, directory, error);  // onto nothing, or onto an empty folder
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("cannot make {}: {}", directory.string(), error.message()));
}

}  // namespace

absl::StatusOr<ImportResult> ImportCsv(const ImportOptions& options) {
  fs::path directory = fs::absolute(options.directory).lexically_normal();
  if (!directory.has_filename()) directory = directory.parent_path();  // it ended in a slash
  if (absl::Status status = ExpectFree(directory); !status.ok()) return status;

  const ForeignFile input(options.file);
  if (input.fd() < 0) {
    return absl::ErrnoToStatus(errno, fmt::format("cannot open {}", options.file));
  }
  auto workshop = Workshop::MakeBeside(directory);
  if (!workshop.ok()) return workshop.status();
  const fs::path growing = (*workshop)->session_directory();
  auto writer = SessionWriter::Create(growing, SessionWriterOptions{});
  if (!writer.ok()) return writer.status();

  CsvTranslator translator(BlockSink{
      .events = [&](EventBlock& block) { return (*writer)->AppendEvents(block); },
      .tasks = [&](EventBlock& block) { return (*writer)->AppendTasks(block); },
  });
  LineReader reader(input.fd());
  if (absl::Status status = Translate(options, input, reader, translator); !status.ok()) {
    return status;
  }

  ImportResult result;
  Describe(options, directory, result.session);
  if (absl::Status status = translator.Finish(result.session); !status.ok()) {
    if (!absl::IsInvalidArgument(status)) return status;
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", options.file, std::string(status.message())));
  }
  if (absl::Status status = (*writer)->WriteSession(result.session); !status.ok()) return status;
  result.lines = reader.line_number();
  result.events = translator.events();
  result.bytes_on_disk = (*writer)->bytes_on_disk();
  writer->reset();
  if (absl::Status status = MoveInto(growing, directory); !status.ok()) return status;
  return result;
}

}  // namespace gordian
