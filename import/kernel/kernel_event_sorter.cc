// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/kernel_event_sorter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <queue>
#include <span>
#include <type_traits>

#include "absl/status/statusor.h"
#include "fmt/format.h"

namespace gordian {
namespace {

static_assert(std::is_trivially_copyable_v<KernelEvent>);

// All readers of a merge share it.
constexpr size_t kMergeEvents = 256u << 10;
constexpr size_t kLeastReadEvents = 64;

bool IsEarlier(const KernelEvent& left, const KernelEvent& right) {
  return left.time_ns < right.time_ns;
}

absl::StatusOr<FileDescriptor> NamelessFile(const std::string& directory) {
  std::string path = directory + "/sorting-XXXXXX";
  const int number = ::mkostemp(path.data(), O_CLOEXEC);
  if (number < 0)
    return absl::ErrnoToStatus(errno, fmt::format("cannot make a file in {}", directory));
  ::unlink(path.c_str());
  return FileDescriptor(number);
}

absl::Status WriteAll(int file, std::span<const KernelEvent> events) {
  const char* at = reinterpret_cast<const char*>(events.data());
  size_t left = events.size_bytes();
  while (left > 0) {
    const ssize_t written = ::write(file, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, "cannot write events to be sorted");
    at += written;
    left -= static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

absl::Status ReadAll(int file, uint64_t first, std::span<KernelEvent> events) {
  char* at = reinterpret_cast<char*>(events.data());
  auto offset = static_cast<off_t>(first * sizeof(KernelEvent));
  size_t left = events.size_bytes();
  while (left > 0) {
    const ssize_t got = ::pread(file, at, left, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return absl::ErrnoToStatus(got < 0 ? errno : EIO, "cannot read sorted events");
    at += got;
    offset += got;
    left -= static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

}  // namespace

// One stretch of the file, a part at a time.
class KernelEventSorter::Reader {
 public:
  Reader(int file, Stretch stretch, size_t part_events)
      : file_(file), next_(stretch.begin), end_(stretch.end), part_events_(part_events) {}

  // False at the end, or if it failed.
  bool Advance(absl::Status& status) {
    if (++at_ < part_.size()) return true;
    const uint64_t count = std::min<uint64_t>(part_events_, end_ - next_);
    if (count == 0) return false;
    part_.resize(count);
    status = ReadAll(file_, next_, part_);
    next_ += count;
    at_ = 0;
    return status.ok();
  }
  const KernelEvent& event() const { return part_[at_]; }

 private:
  int file_;
  uint64_t next_;
  uint64_t end_;
  size_t part_events_;
  std::vector<KernelEvent> part_;
  size_t at_ = 0;
};

absl::Status KernelEventSorter::Add(const KernelEvent& event) {
  if (held_.size() >= held_events_) {
    if (absl::Status status = Spill(); !status.ok()) return status;
  }
  held_.push_back(event);
  return absl::OkStatus();
}

void KernelEventSorter::SortHeld() {
  if (!std::is_sorted(held_.begin(), held_.end(), IsEarlier))
    std::stable_sort(held_.begin(), held_.end(), IsEarlier);
}

// A stretch that begins where the last one ended makes it longer: events in order are one stretch.
absl::Status KernelEventSorter::Spill() {
  SortHeld();
  if (!file_.valid()) {
    auto file = NamelessFile(directory_);
    if (!file.ok()) return file.status();
    file_ = std::move(*file);
  }
  if (absl::Status status = WriteAll(file_.number(), held_); !status.ok()) return status;
  const uint64_t begin = stretches_.empty() ? 0 : stretches_.back().end;
  if (stretches_.empty() || held_.front().time_ns < stretches_.back().last_time_ns)
    stretches_.push_back({.begin = begin, .end = begin});
  stretches_.back().end = begin + held_.size();
  stretches_.back().last_time_ns = held_.back().time_ns;
  held_.clear();
  return absl::OkStatus();
}

absl::Status KernelEventSorter::Drain(const std::function<absl::Status(const KernelEvent&)>& take) {
  if (stretches_.empty()) {
    SortHeld();
    for (const KernelEvent& event : held_) {
      if (absl::Status status = take(event); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (!held_.empty()) {
    if (absl::Status status = Spill(); !status.ok()) return status;
  }
  held_ = {};
  return Merge(take);
}

// The earliest head of all stretches comes next, of equal ones that of the first stretch. Each turn
// takes one event away, so it ends.
absl::Status KernelEventSorter::Merge(
    const std::function<absl::Status(const KernelEvent&)>& take) const {
  const size_t part = std::max(kLeastReadEvents, kMergeEvents / stretches_.size());
  std::vector<Reader> readers;
  readers.reserve(stretches_.size());
  for (const Stretch& stretch : stretches_) readers.emplace_back(file_.number(), stretch, part);
  using Head = std::pair<uint64_t, size_t>;  // time and stretch
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  absl::Status status;
  for (size_t i = 0; i < readers.size(); ++i) {
    if (readers[i].Advance(status)) heads.emplace(readers[i].event().time_ns, i);
    if (!status.ok()) return status;
  }
  while (!heads.empty()) {
    const size_t earliest = heads.top().second;
    heads.pop();
    // As long as it stays the earliest, the heap need not know.
    for (;;) {
      if (status = take(readers[earliest].event()); !status.ok()) return status;
      if (!readers[earliest].Advance(status)) break;
      const Head next(readers[earliest].event().time_ns, earliest);
      if (heads.empty() || next < heads.top()) continue;
      heads.push(next);
      break;
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gordian
