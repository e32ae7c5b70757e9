// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/column_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"

namespace gordian {
namespace {

constexpr size_t kCacheLine = 64;  // neighbours are written by different threads
constexpr size_t kPage = 4096;
// One system call serves some thirty windows of a recording.
constexpr size_t kChunkBytes = size_t{64} << 20;
// A look takes microseconds. Sparse touches map up to 25 MB/ms, as the kernel maps the neighbours
// of each touched page.
constexpr auto kLookEvery = std::chrono::milliseconds(2);

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

FileDescriptor UnlinkedFile(const std::string& folder) {
  FileDescriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  std::string name = folder + "/gordian-columns-XXXXXX";
  file = FileDescriptor(mkostemp(name.data(), O_CLOEXEC));
  if (file.valid()) unlink(name.c_str());
  return file;
}

// The pages of files that this process holds.
class HeldFilePages {
 public:
  // 0 if that cannot be told.
  uint64_t Bytes() const {
    char text[128] = {};
    if (!file_.valid() || pread(file_.number(), text, sizeof(text) - 1, 0) <= 0) return 0;
    unsigned long size = 0, resident = 0, shared = 0;
    if (std::sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3) return 0;
    return shared * kPage;
  }

 private:
  FileDescriptor file_{open("/proc/self/statm", O_RDONLY | O_CLOEXEC)};
};

std::byte* Plain(size_t bytes) {
  auto* const data = static_cast<std::byte*>(std::malloc(std::max<size_t>(bytes, 1)));
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

}  // namespace

class ColumnMemory::Impl {
 public:
  Impl() = default;
  explicit Impl(const Limits& limits) : limits_(limits) {}
  ~Impl() {
    if (watch_.joinable()) {
      watch_.request_stop();
      watch_.join();
    }
    for (const auto& [start, bytes] : maps_) munmap(start, bytes);
    for (std::byte* const plain : plain_) std::free(plain);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void Adopt(std::span<const std::span<const std::byte>> mapped, std::shared_ptr<void> owner) {
    const std::lock_guard lock(mutex_);
    owners_.push_back(std::move(owner));
    if (limits_.folder.empty()) return;
    for (const std::span<const std::byte> one : mapped) {
      if (one.empty()) continue;
      AddAdopted(one);
      CountMapped(one.size());
    }
  }

  uint64_t bytes_in_files() {
    const std::lock_guard lock(mutex_);
    uint64_t sum = 0;
    for (const auto& [start, bytes] : maps_) sum += bytes;
    return sum;
  }
  uint64_t bytes_beyond_limit() {
    const std::lock_guard lock(mutex_);
    return bytes_beyond_limit_;
  }

  std::byte* Make(size_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes = RoundUp(std::max<size_t>(bytes, 1), kCacheLine);
    const bool fits = FitsPlain(bytes);
    if (!fits && bytes > free_.size()) TakeChunk(bytes);
    if (fits || bytes > free_.size()) {
      CountPlain(bytes);
      return plain_.emplace_back(Plain(bytes));
    }
    std::byte* const made = free_.data();
    free_ = free_.subspan(bytes);
    // It will be written at once, and the next look may be late where CPUs are scarce.
    made_since_bytes_ += bytes;
    if (made_since_bytes_ > limits_.resident_bytes) GiveBackLocked();
    return made;
  }

  // For GrowingBytes, whose plain memory is its own.
  bool TakePlain(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const bool fits = FitsPlain(bytes);
    if (fits) CountPlain(bytes);
    return fits;
  }
  void TakePlainAnyway(size_t bytes) {
    const std::lock_guard lock(mutex_);
    CountPlain(bytes);
  }
  void GivePlainBack(size_t bytes) {
    const std::lock_guard lock(mutex_);
    plain_bytes_ -= bytes;
  }
  FileDescriptor NewFile() const { return UnlinkedFile(limits_.folder); }
  // A mapping of the file's first `bytes`, in place of `old` if that is not null; null if there is
  // no room.
  std::byte* Remap(int file, std::byte* old, size_t old_bytes, size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (old == nullptr) return Map(file, 0, bytes);
    if (fallocate(file, 0, 0, static_cast<off_t>(bytes)) != 0) return nullptr;
    void* const start = mremap(old, old_bytes, bytes, MREMAP_MAYMOVE);
    if (start == MAP_FAILED) return nullptr;
    maps_.erase(old);
    maps_[start] = bytes;
    mapped_bytes_ -= old_bytes;
    CountMapped(bytes);
    return static_cast<std::byte*>(start);
  }
  void Unmap(std::byte* start, size_t bytes) {
    const std::lock_guard lock(mutex_);
    maps_.erase(start);
    mapped_bytes_ -= bytes;
    munmap(start, bytes);
  }

 private:
  // Neighbours are given back together: of a thousand small files, a call for each would take
  // longer than all that is done with their pages. The kernel maps each new one below the last, or
  // in a hole.
  void AddAdopted(std::span<const std::byte> one) {
    const std::byte* const begin = one.data();
    const std::byte* end = begin + RoundUp(one.size(), kPage);
    auto next = adopted_.lower_bound(begin);
    if (next != adopted_.end() && next->first == end) {
      end = next->second;
      next = adopted_.erase(next);
    }
    if (next != adopted_.begin() && std::prev(next)->second == begin) {
      std::prev(next)->second = end;
    } else {
      adopted_.emplace_hint(next, begin, end);
    }
  }

  bool FitsPlain(size_t bytes) const {
    return limits_.folder.empty() || plain_bytes_ + bytes <= limits_.plain_bytes;
  }
  void CountPlain(size_t bytes) {
    if (!FitsPlain(bytes)) bytes_beyond_limit_ += bytes;
    plain_bytes_ += bytes;
  }

  void TakeChunk(size_t bytes) {
    if (!file_.valid()) file_ = NewFile();
    const size_t chunk = RoundUp(std::max(bytes, kChunkBytes), kPage);
    std::byte* const start = file_.valid() ? Map(file_.number(), file_bytes_, chunk) : nullptr;
    if (start == nullptr) return;
    file_bytes_ += chunk;
    free_ = {start, chunk};
  }

  std::byte* Map(int file, size_t offset, size_t bytes) {
    if (fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0)
      return nullptr;
    void* const start =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    if (start == MAP_FAILED) return nullptr;
    maps_[start] = bytes;
    CountMapped(bytes);
    return static_cast<std::byte*>(start);
  }

  // With less mapped than may be held there is nothing to watch: a small node's units would spend
  // as much time on their watches as on their work.
  void CountMapped(size_t bytes) {
    mapped_bytes_ += bytes;
    if (watch_.joinable() || mapped_bytes_ <= limits_.resident_bytes) return;
    GiveBackLocked();  // for the watch, what is held as it begins is of others
    watch_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
  }

  // Pages of a shared mapping, and of one that is never written to, are only let go: their contents
  // stay.
  void GiveBack() {
    const std::lock_guard lock(mutex_);
    GiveBackLocked();
  }
  void GiveBackLocked() {
    made_since_bytes_ = 0;
    for (const auto& [start, bytes] : maps_) madvise(start, bytes, MADV_DONTNEED);
    for (const auto& [begin, end] : adopted_)
      madvise(const_cast<std::byte*>(begin), static_cast<size_t>(end - begin), MADV_DONTNEED);
  }

  void Watch(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    const HeldFilePages pages;
    uint64_t before_bytes = 0;
    // The program's own code, and what others mapped: nothing here gives those back, so they are no
    // reason to give back ours.
    uint64_t others_bytes = pages.Bytes();
    while (!stop.stop_requested()) {
      uint64_t held_bytes = pages.Bytes();
      // Others give back, too. Else each would let the next one hold more, on and on.
      others_bytes = std::min(others_bytes, held_bytes);
      held_bytes -= others_bytes;
      const uint64_t grown_bytes = held_bytes - std::min(held_bytes, before_bytes);
      if (held_bytes + grown_bytes > limits_.resident_bytes) {
        GiveBack();
        others_bytes = pages.Bytes();
        held_bytes = 0;
      }
      before_bytes = held_bytes;
      stopped.wait_for(lock, stop, kLookEvery, [] { return false; });
    }
  }

  const Limits limits_ = {};  // without a folder there are none
  std::mutex mutex_;          // guards what follows
  uint64_t plain_bytes_ = 0;
  uint64_t bytes_beyond_limit_ = 0;
  std::vector<std::byte*> plain_;
  FileDescriptor file_;
  size_t file_bytes_ = 0;
  std::span<std::byte> free_;      // of the last chunk
  uint64_t made_since_bytes_ = 0;  // in files, since pages were given back
  std::map<void*, size_t> maps_;
  size_t mapped_bytes_ = 0;                               // of these and those below
  std::map<const std::byte*, const std::byte*> adopted_;  // their ends
  std::vector<std::shared_ptr<void>> owners_;             // of these
  std::jthread watch_;
};

ColumnMemory::ColumnMemory() : impl_(std::make_shared<Impl>()) {}
ColumnMemory::ColumnMemory(const Limits& limits) : impl_(std::make_shared<Impl>(limits)) {}

uint64_t ColumnMemory::bytes_in_files() const { return impl_->bytes_in_files(); }
uint64_t ColumnMemory::bytes_beyond_limit() const { return impl_->bytes_beyond_limit(); }
void ColumnMemory::Adopt(std::span<const std::span<const std::byte>> mapped,
                         std::shared_ptr<void> owner) {
  impl_->Adopt(mapped, std::move(owner));
}
std::byte* ColumnMemory::MakeBytes(size_t bytes) { return impl_->Make(bytes); }

GrowingBytes::GrowingBytes(const ColumnMemory& memory) : memory_(memory.impl_) {}

// Nothing writes to it: GrowTo makes a copy.
GrowingBytes::GrowingBytes(std::span<const std::byte> elsewhere)
    : data_(const_cast<std::byte*>(elsewhere.data())),
      capacity_(elsewhere.size()),
      is_foreign_(true) {}

GrowingBytes::~GrowingBytes() { Free(); }

GrowingBytes::GrowingBytes(GrowingBytes&& other) noexcept
    : memory_(std::move(other.memory_)),
      data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      file_(std::exchange(other.file_, -1)),
      is_foreign_(std::exchange(other.is_foreign_, false)) {}

GrowingBytes& GrowingBytes::operator=(GrowingBytes&& other) noexcept {
  if (this == &other) return *this;
  Free();
  memory_ = std::move(other.memory_);
  data_ = std::exchange(other.data_, nullptr);
  capacity_ = std::exchange(other.capacity_, 0);
  file_ = std::exchange(other.file_, -1);
  is_foreign_ = std::exchange(other.is_foreign_, false);
  return *this;
}

void GrowingBytes::Free() {
  if (is_foreign_) {
    is_foreign_ = false;
  } else if (file_ >= 0) {
    memory_->Unmap(data_, capacity_);
    close(file_);
    file_ = -1;
  } else if (data_ != nullptr) {
    std::free(data_);
    if (memory_ != nullptr) memory_->GivePlainBack(capacity_);
  }
  data_ = nullptr;
  capacity_ = 0;
}

void GrowingBytes::GrowTo(size_t bytes) {
  if (is_foreign_) {
    const std::span<const std::byte> foreign(data_, capacity_);
    Free();
    GrowTo(bytes);
    std::memcpy(data_, foreign.data(), std::min(foreign.size(), capacity_));
    return;
  }
  const size_t wanted = RoundUp(std::max(bytes, 2 * capacity_), kPage);
  const bool plain = memory_ == nullptr || (file_ < 0 && memory_->TakePlain(wanted - capacity_));
  if (!plain && GrowFile(wanted)) return;
  if (!plain) memory_->TakePlainAnyway(file_ < 0 ? wanted - capacity_ : wanted);
  GrowPlain(wanted);
}

bool GrowingBytes::GrowFile(size_t bytes) {
  if (file_ >= 0) {
    std::byte* const moved = memory_->Remap(file_, data_, capacity_, bytes);
    if (moved == nullptr) return false;
    data_ = moved;
    capacity_ = bytes;
    return true;
  }
  FileDescriptor file = memory_->NewFile();
  std::byte* const start =
      file.valid() ? memory_->Remap(file.number(), nullptr, 0, bytes) : nullptr;
  if (start == nullptr) return false;
  if (data_ != nullptr) std::memcpy(start, data_, capacity_);
  Free();
  data_ = start;
  capacity_ = bytes;
  file_ = file.Release();
  return true;
}

void GrowingBytes::GrowPlain(size_t bytes) {
  if (file_ >= 0) {
    std::byte* const grown = Plain(bytes);
    std::memcpy(grown, data_, capacity_);
    Free();
    data_ = grown;
  } else {
    auto* const grown = static_cast<std::byte*>(std::realloc(data_, bytes));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = grown;
  }
  capacity_ = bytes;
}

}  // namespace gordian
