// SPDX-License-Identifier: Apache-2.0
#include "serve/reread_window.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "live/cut_last.h"
#include "live/fill_frame.h"

namespace gordian {
namespace {

// As a live window: packets from just before it may end waits within it.
constexpr uint64_t kMoreThanWindowNs = kNsPerSecond;

class ScratchFolder {
 public:
  static absl::StatusOr<ScratchFolder> Make() {
    const char* const told = std::getenv("TMPDIR");
    std::string path =
        absl::StrCat(told != nullptr && *told != '\0' ? told : "/var/tmp", "/gordian-serve-XXXXXX");
    if (mkdtemp(path.data()) == nullptr)
      return absl::ErrnoToStatus(
          errno, absl::StrCat("cannot make a folder (", path, "); $TMPDIR chooses another place"));
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

absl::StatusOr<Analysis> RereadWindow(const std::vector<LiveNodeTime>& nodes,
                                      const LiveOptions& options) {
  auto folder = ScratchFolder::Make();
  if (!folder.ok()) return folder.status();
  const std::string out = folder->path() + "/window";
  if (const auto cut = CutLastOf(nodes, options.window_ns + kMoreThanWindowNs, out); !cut.ok())
    return absl::NotFoundError(
        absl::StrCat("that moment cannot be read any more: ", std::string(cut.message())));
  ReadOptions reading;
  reading.threads = options.threads;
  auto recording = ReadRecording(out, reading);
  if (!recording.ok()) return recording.status();
  const Timeline& timeline = *recording->timeline;
  const uint64_t length_ns = timeline.end_ns() - timeline.start_ns();
  AnalysisOptions asked;
  asked.target = options.target;
  asked.graph = options.graph;
  asked.finding = options.finding;
  asked.threads = options.threads;
  asked.range.from_ns = length_ns - std::min(length_ns, options.window_ns);
  return Analysis::Run(*std::move(recording), asked);
}

pb::LiveFrame RereadFrame(const Analysis& analysis) { return FrameOf(analysis); }

}  // namespace gordian
