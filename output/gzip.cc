// SPDX-License-Identifier: Apache-2.0
#include "output/gzip.h"

#include <zlib.h>

#include <cassert>
#include <cstdint>
#include <new>

namespace gordian {

std::string Gzip(const std::string& bytes) {
  constexpr int kGzipWindow = 15 + 16;  // the largest window, in gzip's wrapping
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  std::string packed;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();  // the only way it can fail with these arguments
  packed.resize(deflateBound(&stream, bytes.size()));
  assert(packed.size() < UINT32_MAX && bytes.size() < UINT32_MAX);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  [[maybe_unused]] const int ended = deflate(&stream, Z_FINISH);
  assert(ended == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace gordian
