// SPDX-License-Identifier: Apache-2.0
// Finding files, their owners, and their end. probe_events.cc handles the words.
#include "recorder/probes/probe_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "recorder/probes/probe_owner.h"
#include "recorder/sources/clock.h"

namespace gordian {
namespace {

constexpr uint64_t kRefreshNs = 2'000 * kNsPerMs;  // the directories
constexpr uint64_t kAskNs = 500 * kNsPerMs;        // for more …
constexpr uint64_t kAskForNs =
    2'000 * kNsPerMs;  // … until then: so long a killed recorder's wish lasts
// A file that was silent is left alone for a little longer each time: its rings last longer.
constexpr uint64_t kQuietStepNs = 5 * kNsPerMs;
constexpr uint64_t kMostQuietNs = 55 * kNsPerMs;
constexpr uint64_t kLookAtLockNs = 100 * kNsPerMs;    // whether a process still lives …
constexpr uint64_t kLookAtMapsNs = 1'000 * kNsPerMs;  // … and one without its lock
// How long a file without an owner may get one (its process's end may not have been drained yet),
// and how long the file of an ended process is left to other recorders.
constexpr uint64_t kOwnerlessNs = 3'000 * kNsPerMs;
constexpr uint64_t kLeaveNs = 1'000 * kNsPerMs;

constexpr size_t kMostFiles = 512;
constexpr size_t kMostFilesOfUid = 256;
constexpr size_t kMostNames = 65536;  // looked at in one directory
constexpr size_t kMostRefused = 65536;
constexpr size_t kMostPending = 1u << 19;  // then reading waits: the rings count what gives way

bool Same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

std::string KeyOf(dev_t device, ino_t inode, std::string_view name) {
  return absl::StrCat(device, "/", inode, "/", absl::string_view(name.data(), name.size()));
}

}  // namespace

ProbeSource::ProbeSource(ProbePaths paths)
    : paths_(std::move(paths)),
      directories_(paths_.system, paths_.shared_memory),
      threads_(paths_.system),
      names_(1) {}

ProbeSource::~ProbeSource() = default;

void ProbeSource::Begin(uint64_t start_ns) {
  start_ns_ = taken_until_ns_ = loss_told_ns_ = start_ns;
  Round(start_ns);
}

void ProbeSource::Round(uint64_t now_ns) {
  if (now_ns >= next_refresh_ns_) {
    directories_.Refresh();
    threads_.Forget(now_ns);
    next_refresh_ns_ = now_ns + kRefreshNs;
    for (ProbeDirectory& directory : directories_.all()) directory.changed = {};
  }
  if (now_ns >= next_ask_ns_) {
    AskForMore(now_ns);
    next_ask_ns_ = now_ns + kAskNs;
  }
  for (ProbeDirectory& directory : directories_.all()) LookForFiles(directory, now_ns);
  ReadFiles(now_ns);
  CloseFinished(now_ns, kLeaveNs);
}

// A directory is listed when it has changed since, which its time of change tells to a few
// milliseconds; so one that changed just now is listed once more.
void ProbeSource::LookForFiles(ProbeDirectory& directory, uint64_t now_ns) {
  struct stat status {};
  if (fstat(directory.handle.get(), &status) != 0) return;
  if (Same(status.st_mtim, directory.changed)) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const bool settled = now.tv_sec - status.st_mtim.tv_sec > 1;
  directory.changed = settled ? status.st_mtim : timespec{};

  const int listed = openat(directory.handle.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(listed), closedir);
  size_t names = 0;
  while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) {
    if (++names > kMostNames) break;
    const std::string_view name = entry->d_name;
    if (!name.starts_with(GORDIAN_PROBE_PREFIX)) continue;
    const auto known = [&](const auto& open) {
      return open->inode == entry->d_ino && open->device == directory.device;
    };
    if (std::any_of(files_.begin(), files_.end(), known)) continue;
    if (refused_.contains(KeyOf(directory.device, entry->d_ino, name))) continue;
    TryOpen(directory, std::string(name), now_ns);
  }
}

bool ProbeSource::RoomFor(uid_t uid) const {
  const auto of_uid = std::count_if(files_.begin(), files_.end(),
                                    [uid](const auto& open) { return open->uid == uid; });
  return files_.size() < kMostFiles && of_uid < static_cast<ptrdiff_t>(kMostFilesOfUid);
}

void ProbeSource::TryOpen(const ProbeDirectory& directory, const std::string& name,
                          uint64_t now_ns) {
  struct stat status {};
  const int fd = directory.handle.get();
  if (fstatat(fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (refused_.size() >= kMostRefused) refused_.clear();
  const std::string key = KeyOf(directory.device, status.st_ino, name);
  if (!S_ISREG(status.st_mode)) {
    ++counts_.files_refused;
    refused_.insert(key);
    return;
  }
  if (!RoomFor(status.st_uid)) {
    ++counts_.files_not_taken;
    refused_.insert(key);
    return;
  }
  FileHandle handle(
      openat(fd, name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat opened {};
  const bool same = handle.is_open() && fstat(handle.get(), &opened) == 0 &&
                    opened.st_ino == status.st_ino && opened.st_dev == directory.device;
  absl::StatusOr<ProbeFile> file =
      same ? ProbeFile::Open(std::move(handle), start_ns_) : absl::DataLossError("replaced");
  if (absl::IsUnavailable(file.status())) return;  // its process is at it: next time
  if (!file.ok()) {
    ++counts_.files_refused;
    refused_.insert(key);
    return;
  }
  if (!file->RecordUntil(asked_until_ns_).ok()) return;
  files_.push_back(std::make_unique<OpenFile>(OpenFile{.file = *std::move(file),
                                                       .name = name,
                                                       .device = directory.device,
                                                       .inode = status.st_ino,
                                                       .uid = status.st_uid,
                                                       .first_seen_ns = now_ns}));
}

void ProbeSource::AskForMore(uint64_t now_ns) {
  if (asked_until_ns_ != 0 && now_ns > asked_until_ns_) ++counts_.gaps;
  asked_until_ns_ = now_ns + kAskForNs;
  for (ProbeDirectory& directory : directories_.all())
    directory.mark.Ask(directory.handle, asked_until_ns_);
  for (const auto& open : files_) {
    if (!open->file.RecordUntil(asked_until_ns_).ok()) open->unreadable = true;
  }
}

void ProbeSource::ReadFiles(uint64_t now_ns) {
  const size_t count = files_.size();
  for (size_t i = 0; i < count; ++i) {
    OpenFile& open = *files_[(first_file_ + i) % count];
    if (open.unreadable || open.gone_ns != 0 || pending_.size() >= kMostPending) continue;
    CheckOwner(open, now_ns);  // before the reading: then nothing comes after a last one
    if (open.pid != 0 && (now_ns >= open.next_read_ns || open.gone_ns != 0)) ReadFile(open, now_ns);
  }
  ++first_file_;
}

void ProbeSource::ReadFile(OpenFile& open, uint64_t now_ns) {
  const uint64_t before = open.file.counts().read;
  const auto take = [&](const ProbeWord& word) { TakeWord(open, word); };
  if (!open.file.Read(MonotonicNowNs, room_, take).ok()) open.unreadable = true;
  const bool is_quiet = open.file.counts().read == before;
  open.quiet_ns = is_quiet ? std::min(open.quiet_ns + kQuietStepNs, kMostQuietNs) : 0;
  open.next_read_ns = now_ns + open.quiet_ns;
}

void ProbeSource::LastRound(uint64_t now_ns) {
  for (const auto& open : files_) open->next_read_ns = open->next_look_ns = 0;
  Round(now_ns);
}

void ProbeSource::CheckOwner(OpenFile& open, uint64_t now_ns) {
  if (open.pid == 0) {
    const auto owner = FindProbeOwner(paths_.system, open.file, threads_);
    if (!owner) return;
    open.pid = owner->pid;
    if (!owner->alive) open.gone_ns = now_ns;
    return;
  }
  if (now_ns < open.next_look_ns) return;
  if (HoldsLock(open.file, open.pid)) {
    open.next_look_ns = now_ns + kLookAtLockNs;
  } else if (HasMapped(paths_.system, open.file, open.pid)) {
    open.next_look_ns = now_ns + kLookAtMapsNs;
  } else {
    open.gone_ns = now_ns;
  }
}

// Only the name that still is this file's, so that no process can have another file removed. At the
// end, what other recorders may not have found yet is left to them.
void ProbeSource::RemoveName(const OpenFile& open) {
  for (const ProbeDirectory& directory : directories_.all()) {
    struct stat status {};
    if (directory.device == open.device && !directory.is_shared &&
        fstatat(directory.handle.get(), open.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        status.st_ino == open.inode && S_ISREG(status.st_mode)) {
      unlinkat(directory.handle.get(), open.name.c_str(), 0);
    }
  }
}

void ProbeSource::CloseFinished(uint64_t now_ns, uint64_t grace_ns) {
  std::erase_if(files_, [&](const auto& open) {
    const bool ownerless = open->pid == 0 && now_ns >= open->first_seen_ns + kOwnerlessNs;
    const bool left = open->gone_ns != 0 && now_ns >= open->gone_ns + grace_ns;
    if (!ownerless && !left && !open->unreadable) return false;
    if (open->unreadable || ownerless) {
      refused_.insert(KeyOf(open->device, open->inode, open->name));
      // A leftover of a process of long ago does not count as refused words.
      if (open->unreadable || open->file.header().created_ns >= start_ns_) ++counts_.files_refused;
    }
    if (!open->unreadable) RemoveName(*open);
    const ProbeFileCounts& counts = open->file.counts();
    counts_.lost += counts.lost;
    counts_.records_invalid += counts.invalid;
    return true;
  });
}

void ProbeSource::End(uint64_t now_ns) {
  for (ProbeDirectory& directory : directories_.all())
    directory.is_shared = !directory.mark.End(directory.handle);
  CloseFinished(now_ns, 0);
}

ProbeCounts ProbeSource::counts() const {
  ProbeCounts counts = counts_;
  for (const auto& open : files_) {
    counts.lost += open->file.counts().lost;
    counts.records_invalid += open->file.counts().invalid;
  }
  return counts;
}

}  // namespace gordian
