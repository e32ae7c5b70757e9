#include "trace/frame.h"

#include <new>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Level 1: a recorder must not take time from the recorded program; higher levels gain only a few
// percent here.
constexpr int kCompressionLevel = 1;

}  // namespace

FrameCompressor::FrameCompressor() : context_(ZSTD_createCCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 1);
}

absl::Status FrameCompressor::Compress(std::span<const uint8_t> raw, std::vector<uint8_t>& out) {
  const size_t before = out.size();
  out.resize(before + ZSTD_compressBound(raw.size()));
  const size_t written = ZSTD_compress2(context_.get(), out.data() + before, out.size() - before,
                                        raw.data(), raw.size());
  if (ZSTD_isError(written) != 0) {
    out.resize(before);
    return absl::InternalError(absl::StrCat("zstd: ", ZSTD_getErrorName(written)));
  }
  out.resize(before + written);
  return absl::OkStatus();
}

FrameDecompressor::FrameDecompressor() : context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
}

absl::StatusOr<std::span<const uint8_t>> FrameDecompressor::Decompress(
    std::span<const uint8_t> frame, uint32_t raw_bytes) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw_bytes) {
    return absl::DataLossError("the frame's size is not the one its header tells");
  }
  if (raw_.size() < raw_bytes) raw_.resize(raw_bytes);
  const size_t read =
      ZSTD_decompressDCtx(context_.get(), raw_.data(), raw_bytes, frame.data(), frame.size());
  if (ZSTD_isError(read) != 0) {
    return absl::DataLossError(absl::StrCat("the frame is damaged: ", ZSTD_getErrorName(read)));
  }
  if (read != raw_bytes) return absl::DataLossError("the frame is shorter than its header tells");
  return std::span<const uint8_t>(raw_).first(raw_bytes);
}

}  // namespace gordian
