// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/file_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr size_t kFirstBufferBytes = 16 << 10;
constexpr size_t kMaxBufferBytes = 16 << 20;

ssize_t ReadAt(int fd, char* to, size_t bytes, size_t offset) {
  ssize_t got = 0;
  do {
    got = pread(fd, to, bytes, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

std::optional<std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return {};
  std::string text;
  bool failed = false;
  while (text.size() < max_bytes) {
    const size_t start = text.size();
    text.resize(std::min(max_bytes, start + 4096));
    const ssize_t got = ReadAt(fd, text.data() + start, text.size() - start, start);
    text.resize(start + (got > 0 ? got : 0));
    failed = got < 0;
    if (got <= 0) break;
  }
  close(fd);
  if (failed) return {};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::optional<uint64_t> ReadSmallNumber(const std::string& path) {
  const std::optional<std::string> text = ReadSmallFile(path);
  return text ? ParseNumber(*text) : std::nullopt;
}

RereadFile::RereadFile(std::string path) : path_(std::move(path)) {}

RereadFile::~RereadFile() { Close(); }

bool RereadFile::Open() {
  if (fd_ < 0) fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  return fd_ >= 0;
}

void RereadFile::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::optional<std::string_view> RereadFile::Read() {
  if (!Open()) return {};
  if (buffer_.empty()) buffer_.resize(kFirstBufferBytes);
  size_t size_bytes = 0;
  // Ends: each turn reads at least one byte or leaves, and the buffer stops growing at its limit.
  for (;;) {
    if (size_bytes == buffer_.size()) {
      if (buffer_.size() >= kMaxBufferBytes) return {};
      buffer_.resize(buffer_.size() * 2);
    }
    const ssize_t got =
        ReadAt(fd_, buffer_.data() + size_bytes, buffer_.size() - size_bytes, size_bytes);
    if (got < 0) {
      Close();
      return {};
    }
    if (got == 0) return std::string_view(buffer_.data(), size_bytes);
    size_bytes += got;
  }
}

}  // namespace gordian
