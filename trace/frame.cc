// SPDX-License-Identifier: Apache-2.0
#include "trace/frame.h"

#include <new>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Level 1: a recorder must not take time from the recorded program; higher levels gain only a few
// percent here.
constexpr int kCompressionLevel = 1;
// A block's header has three bytes.
constexpr size_t kBlockOverheadBytes = 8;

}  // namespace

FrameCompressor::FrameCompressor() : context_(ZSTD_createCCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 1);
}

// A part that is flushed ends a block of the frame; the next begins with new tables of frequencies.
absl::Status FrameCompressor::Compress(std::span<const uint8_t> raw,
                                       std::span<const size_t> borders, std::vector<uint8_t>& out) {
  const size_t before = out.size();
  out.resize(before + ZSTD_compressBound(raw.size()) + borders.size() * kBlockOverheadBytes);
  ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
  ZSTD_CCtx_setPledgedSrcSize(context_.get(), raw.size());
  ZSTD_outBuffer written{out.data() + before, out.size() - before, 0};
  size_t begin = 0;
  for (size_t part = 0; part <= borders.size(); ++part) {
    const bool is_last = part == borders.size();
    const size_t end = is_last ? raw.size() : borders[part];
    ZSTD_inBuffer read{raw.data() + begin, end - begin, 0};
    // Nothing is left to write if there is room for all.
    const size_t left =
        ZSTD_compressStream2(context_.get(), &written, &read, is_last ? ZSTD_e_end : ZSTD_e_flush);
    if (left != 0) {
      out.resize(before);
      return absl::InternalError(absl::StrCat(
          "zstd: ", ZSTD_isError(left) != 0 ? ZSTD_getErrorName(left) : "no room for the frame"));
    }
    begin = end;
  }
  out.resize(before + written.pos);
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
