// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/open_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/sources/folder.h"
#include "recorder/sources/text_fields.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr uint64_t kLookForProcessesNs = 10'000'000'000;
constexpr size_t kMostProcesses = 4'000;  // looked at
constexpr size_t kMostEntries = 20'000;   // counted one by one, where the kernel tells no number
constexpr size_t kMostSampled = 16;
constexpr uint64_t kFewFiles = 128;  // no limit in use is so low: its file is not read
constexpr double kGoodPart = 0.5;    // of the limit

// "Max open files            1024                 4096                 files"
std::optional<uint64_t> SoftLimit(std::string_view limits) {
  constexpr std::string_view kTitle = "Max open files";
  while (!limits.empty()) {
    std::string_view line = TakeLine(limits);
    if (!line.starts_with(kTitle)) continue;
    line.remove_prefix(kTitle.size());
    return TakeNumber(line);  // "unlimited" is no number
  }
  return {};
}

}  // namespace

OpenFiles::OpenFiles(SystemPaths paths)
    : paths_(std::move(paths)),
      file_nr_(paths_.proc + "/sys/fs/file-nr"),
      machine_{.kind = pb::RESOURCE_OPEN_FILES, .name = "machine"} {}

std::optional<uint64_t> OpenFiles::FilesOf(uint32_t pid) {
  const std::string path = absl::StrCat(paths_.proc, "/", pid, "/fd");
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  if (status.st_size > 0 && paths_.proc == SystemPaths{}.proc)
    return static_cast<uint64_t>(status.st_size);
  const Folder folder = OpenFolder(path);
  if (!folder) return {};
  uint64_t files = 0;
  for (; entries_left_ > 0; --entries_left_) {
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) return files;
    files += entry->d_name[0] == '.' ? 0 : 1;
  }
  return {};  // there are too many
}

std::optional<uint64_t> OpenFiles::LimitOf(uint32_t pid) const {
  const auto text = ReadSmallFile(absl::StrCat(paths_.proc, "/", pid, "/limits"));
  return text ? SoftLimit(*text) : std::nullopt;
}

void OpenFiles::LookForProcesses() {
  struct Near {
    double share;
    uint32_t pid;
    uint64_t limit;
  };
  std::vector<Near> near;
  const Folder folder = OpenFolder(paths_.proc);
  size_t seen = 0;
  entries_left_ = kMostEntries;
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const std::optional<uint32_t> pid = ParseNumber<uint32_t>(entry->d_name);
    if (!pid) continue;
    if (++seen > kMostProcesses) break;
    const std::optional<uint64_t> files = FilesOf(*pid);
    if (!files || *files < kFewFiles) continue;
    const std::optional<uint64_t> limit = LimitOf(*pid);
    if (!limit || *limit == 0) continue;
    const double share = static_cast<double>(*files) / static_cast<double>(*limit);
    if (share >= kGoodPart) near.push_back({share, *pid, *limit});
  }
  std::sort(near.begin(), near.end(),
            [](const Near& a, const Near& b) { return a.share > b.share; });
  near.resize(std::min(near.size(), kMostSampled));
  std::map<std::string, Process> found;
  for (const Near& one : near) {
    const auto comm = ReadSmallFile(absl::StrCat(paths_.proc, "/", one.pid, "/comm"));
    const std::string name = absl::StrCat(CleanText(comm.value_or("process")), " ", one.pid);
    Process& process = found[name];
    process.pid = one.pid;
    process.files = {.kind = pb::RESOURCE_OPEN_FILES,
                     .name = name,
                     .capacity = static_cast<double>(one.limit),
                     .pids = {one.pid}};
  }
  processes_ = std::move(found);
}

void OpenFiles::Sample(ResourceSink& sink, uint64_t& missed) {
  const bool is_first = last_ns_ == 0;
  const uint64_t interval_ns = sink.now_ns() - std::exchange(last_ns_, sink.now_ns());
  if (is_first || sink.now_ns() - looked_ns_ >= kLookForProcessesNs) {
    looked_ns_ = sink.now_ns();
    LookForProcesses();
  }
  if (is_first) return;
  entries_left_ = kMostEntries;
  for (auto& [name, process] : processes_) {
    // A process that ended is no sample missed.
    if (const std::optional<uint64_t> files = FilesOf(process.pid))
      sink.Add(process.files, {static_cast<double>(*files), interval_ns});
  }
  std::optional<std::string_view> text = file_nr_.Read();
  if (!text) return;  // a tree without it
  std::string_view line = TakeLine(*text);
  const std::optional<uint64_t> used = TakeNumber(line);
  TakeField(line);
  const std::optional<uint64_t> most = TakeNumber(line);
  if (!used || !most) {
    ++missed;
    return;
  }
  machine_.capacity = static_cast<double>(*most);
  sink.Add(machine_, {static_cast<double>(*used), interval_ns});
}

}  // namespace gordian
