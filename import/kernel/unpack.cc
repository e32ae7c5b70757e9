// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/unpack.h"

#include <zlib.h>

#include <algorithm>

#include "fmt/format.h"

namespace gordian {
namespace {

constexpr size_t kGrowBytes = 256u << 10;

absl::Status PartIsDamaged() { return absl::InvalidArgumentError("a compressed part is damaged"); }

absl::Status PartIsTooLarge(uint64_t most_bytes) {
  return absl::InvalidArgumentError(
      fmt::format("a compressed part holds more than {} bytes", most_bytes));
}

absl::Status Inflate(std::span<const uint8_t> packed, uint64_t most_bytes,
                     std::vector<uint8_t>& out) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return absl::ResourceExhaustedError("no memory for zlib");
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  absl::Status status;
  for (int result = Z_OK; status.ok() && result != Z_STREAM_END;) {
    const size_t before = out.size();
    // One byte more than it may have tells whether there is more.
    out.resize(std::min<uint64_t>(before + kGrowBytes, most_bytes + 1));
    stream.next_out = out.data() + before;
    stream.avail_out = static_cast<uInt>(out.size() - before);
    result = inflate(&stream, Z_NO_FLUSH);
    const size_t made = out.size() - before - stream.avail_out;
    out.resize(before + made);
    if (out.size() > most_bytes) status = PartIsTooLarge(most_bytes);
    if (result != Z_STREAM_END && (result != Z_OK || made == 0)) status = PartIsDamaged();
  }
  inflateEnd(&stream);
  return status;
}

}  // namespace

absl::Status ZstdStream::Expand(std::span<const uint8_t>& packed, size_t most_bytes,
                                std::vector<uint8_t>& out) {
  const size_t before = out.size();
  out.resize(before + most_bytes);
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  ZSTD_outBuffer output{out.data() + before, most_bytes, 0};
  size_t result = 0;
  do {
    const size_t taken = input.pos;
    const size_t made = output.pos;
    result = ZSTD_decompressStream(context_.get(), &output, &input);
    if (ZSTD_isError(result) != 0 || (taken == input.pos && made == output.pos)) break;
  } while (input.pos < input.size && output.pos < output.size);
  out.resize(before + output.pos);
  const bool stuck = input.pos == 0 && output.pos == 0 && !packed.empty();
  packed = packed.subspan(input.pos);
  return ZSTD_isError(result) != 0 || stuck ? PartIsDamaged() : absl::OkStatus();
}

absl::Status Unpack(PackedBy by, std::span<const uint8_t> packed, uint64_t most_bytes,
                    std::vector<uint8_t>& out) {
  out.clear();
  if (by == PackedBy::kZlib) return Inflate(packed, most_bytes, out);
  if (by == PackedBy::kNothing) {
    if (packed.size() > most_bytes) return PartIsTooLarge(most_bytes);
    out.assign(packed.begin(), packed.end());
    return absl::OkStatus();
  }
  ZstdStream stream;
  for (size_t made = kGrowBytes; !packed.empty() || made == kGrowBytes;) {
    const size_t before = out.size();
    if (absl::Status status = stream.Expand(packed, kGrowBytes, out); !status.ok()) return status;
    made = out.size() - before;
    if (out.size() > most_bytes) return PartIsTooLarge(most_bytes);
  }
  return absl::OkStatus();
}

}  // namespace gordian
