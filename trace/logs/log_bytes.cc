// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/log_bytes.h"

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "trace/file_io.h"

namespace gordian {
namespace {

constexpr size_t kInputBytes = 64u << 10;

class PlainLog : public LogBytes {
 public:
  PlainLog(std::string path, FileHandle file) : path_(std::move(path)), file_(std::move(file)) {}

  // A look at the first bytes loses nothing: they come again.
  void GiveBack(std::span<const char> bytes) { first_.assign(bytes.begin(), bytes.end()); }

  absl::StatusOr<size_t> Read(std::span<char> out) override {
    if (!first_.empty()) {
      const size_t given = std::min(out.size(), first_.size());
      std::memcpy(out.data(), first_.data(), given);
      first_.erase(first_.begin(), first_.begin() + static_cast<ptrdiff_t>(given));
      return given;
    }
    for (;;) {
      const ssize_t got =
          ::read(file_.is_open() ? file_.get() : STDIN_FILENO, out.data(), out.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) return SystemError(errno, "read", path_);
    }
  }

 private:
  std::string path_;
  FileHandle file_;  // not open: standard input
  std::vector<char> first_;
};

// The common part of both compressions: input in pieces, and an end that may come too early.
class CompressedLog : public LogBytes {
 public:
  explicit CompressedLog(std::unique_ptr<LogBytes> file)
      : file_(std::move(file)), input_(kInputBytes) {}
  bool cut_short() const override { return cut_short_; }

  // Ends: each turn either gives bytes out, takes input, or stops at the end of the input.
  absl::StatusOr<size_t> Read(std::span<char> out) override {
    while (!ended_) {
      if (begin_ == end_ && !at_end_) {
        const auto got = file_->Read(input_);
        if (!got.ok()) return got.status();
        begin_ = 0;
        end_ = *got;
        at_end_ = *got == 0;
      }
      size_t made = 0;
      const size_t begin_before = begin_;
      if (!Expand(out, made)) cut_short_ = ended_ = true;
      if (made > 0) return made;
      if (!ended_ && at_end_ && begin_ == end_) {
        cut_short_ = InsideFrame();
        ended_ = true;
      } else if (!ended_ && begin_ == begin_before && begin_ != end_) {
        cut_short_ = ended_ = true;  // takes nothing, gives nothing
      }
    }
    return 0;
  }

 protected:
  // Expands input from begin_ on into `out`. False if it is damaged.
  virtual bool Expand(std::span<char> out, size_t& made) = 0;
  virtual bool InsideFrame() const = 0;

  std::unique_ptr<LogBytes> file_;
  std::vector<char> input_;
  size_t begin_ = 0;
  size_t end_ = 0;

 private:
  bool at_end_ = false;  // of the file
  bool ended_ = false;   // nothing more will come
  bool cut_short_ = false;
};

class GzipLog : public CompressedLog {
 public:
  explicit GzipLog(std::unique_ptr<LogBytes> file) : CompressedLog(std::move(file)) {
    good_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK;
  }
  ~GzipLog() override { inflateEnd(&stream_); }

 private:
  bool Expand(std::span<char> out, size_t& made) override {
    if (!good_) return false;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data() + begin_);
    stream_.avail_in = static_cast<uInt>(end_ - begin_);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (begin_ != end_ - stream_.avail_in) inside_ = true;
    begin_ = end_ - stream_.avail_in;
    made = out.size() - stream_.avail_out;
    if (result == Z_STREAM_END) {  // another one may follow: files of gzip may be joined
      inside_ = false;
      return inflateReset(&stream_) == Z_OK;
    }
    return result == Z_OK || result == Z_BUF_ERROR;
  }
  bool InsideFrame() const override { return inside_; }

  z_stream stream_{};
  bool good_ = false;
  bool inside_ = false;
};

class ZstdLog : public CompressedLog {
 public:
  explicit ZstdLog(std::unique_ptr<LogBytes> file)
      : CompressedLog(std::move(file)), context_(ZSTD_createDCtx()) {}

 private:
  bool Expand(std::span<char> out, size_t& made) override {
    ZSTD_inBuffer input{input_.data() + begin_, end_ - begin_, 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const size_t result = ZSTD_decompressStream(context_.get(), &output, &input);
    begin_ += input.pos;
    made = output.pos;
    if (input.pos > 0 || output.pos > 0) inside_ = result != 0;
    return ZSTD_isError(result) == 0;
  }
  bool InsideFrame() const override { return inside_; }

  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;  // its window is at most 128 MiB: zstd's own limit
  bool inside_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LogBytes>> OpenLog(const std::string& path) {
  FileHandle handle;
  if (path != "-") {
    auto file = OpenFile(path);
    if (!file.ok()) return file.status();
    handle = std::move(file->handle);
  }
  auto plain = std::make_unique<PlainLog>(path, std::move(handle));
  char magic[4];
  size_t held = 0;
  while (held < sizeof magic) {
    const auto got = plain->Read(std::span(magic).subspan(held));
    if (!got.ok()) return got.status();
    if (*got == 0) break;
    held += *got;
  }
  plain->GiveBack(std::span(magic).first(held));
  const std::string_view start(magic, held);
  if (start.starts_with("\x1f\x8b")) return std::make_unique<GzipLog>(std::move(plain));
  if (start == "\x28\xb5\x2f\xfd") return std::make_unique<ZstdLog>(std::move(plain));
  return plain;
}

}  // namespace gordian
