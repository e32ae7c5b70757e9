// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/file_sender.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "recorder/control/wait_for.h"

namespace gordian {
namespace {

constexpr uint64_t kPartBytes = 1 << 20;
constexpr uint64_t kLeastReadBytes = 4096;

struct FreeHash {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

}  // namespace

absl::Status SendFile(const grpc::ServerContext& context, const FileDescriptor& file,
                      uint64_t offset, RateLimit& rate, const SendPart& send) {
  struct stat status = {};
  if (fstat(file.number(), &status) != 0 || static_cast<uint64_t>(status.st_size) < offset) {
    return absl::OutOfRangeError("the file is shorter than what is there already; begin anew");
  }
  const auto size_then = static_cast<uint64_t>(status.st_size);  // it may grow
  const std::unique_ptr<XXH3_state_t, FreeHash> hash(XXH3_createState());
  XXH3_128bits_reset(hash.get());
  pb::FetchPart part;
  uint64_t at = 0;
  while (true) {
    std::string& data = *part.mutable_data();
    // A short file needs no memory of a whole part.
    const uint64_t left = std::max<uint64_t>(size_then - std::min(at, size_then), kLeastReadBytes);
    data.resize(std::min({kPartBytes, left, at < offset ? offset - at : kPartBytes}));
    const ssize_t size = pread(file.number(), data.data(), data.size(), static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      return absl::DataLossError(absl::StrCat("cannot read the file: ", std::strerror(errno)));
    }
    if (size == 0) break;
    data.resize(static_cast<size_t>(size));
    XXH3_128bits_update(hash.get(), data.data(), data.size());
    const bool wanted = at >= offset;
    at += static_cast<uint64_t>(size);
    if (context.IsCancelled()) return absl::CancelledError("the client went away");
    if (!wanted) continue;
    const auto wait = rate.Take(data.size(), RateLimit::Clock::now());
    if (!WaitFor(wait, context) || !send(part)) {
      return absl::CancelledError("the client went away");
    }
  }
  XXH128_canonical_t canonical = {};
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash.get()));
  part.clear_data();
  part.set_xxh3_128(canonical.digest, sizeof(canonical.digest));
  send(part);
  return absl::OkStatus();
}

}  // namespace gordian
