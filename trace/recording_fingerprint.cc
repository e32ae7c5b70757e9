// SPDX-License-Identifier: Apache-2.0
#include "trace/recording_fingerprint.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <memory>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

class FingerprintHash {
 public:
  FingerprintHash() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }

  // Only of types without gaps, whose bytes are not defined.
  template <typename Value>
  void Add(const Value& value) {
    static_assert(std::has_unique_object_representations_v<Value>);
    XXH3_128bits_update(state_.get(), &value, sizeof(value));
  }
  void AddText(std::string_view text) {
    Add(text.size());
    XXH3_128bits_update(state_.get(), text.data(), text.size());
  }
  std::string Digits() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

void AddStream(const EventStream& stream, FingerprintHash& hash) {
  hash.Add(uint64_t{stream.cpu()});
  hash.Add(stream.blocks().size());
  for (const BlockInfo& block : stream.blocks()) {
    for (const uint64_t fact : {block.sequence, block.first_time_ns, block.last_time_ns,
                                uint64_t{block.events}, block.lost, block.bytes})
      hash.Add(fact);
  }
}

void AddFileNow(const std::string& directory, const char* name, FingerprintHash& hash) {
  struct stat status = {};
  const bool is_there = ::stat(absl::StrCat(directory, "/", name).c_str(), &status) == 0;
  hash.AddText(is_there ? name : "");
  hash.Add(is_there ? StateOf(status) : FileState());
}

}  // namespace

absl::StatusOr<std::string> RecordingFingerprint(const SessionReader& session) {
  if (session.directory().empty())
    return absl::FailedPreconditionError("a session without a folder has no fingerprint");
  FingerprintHash hash;
  hash.AddText(session.session().SerializeAsString());
  hash.Add(session.files().size());
  for (const SessionFile& file : session.files()) {
    hash.AddText(file.name);
    hash.Add(file.identity);
  }
  hash.Add(session.cpus().size());
  for (const auto& stream : session.cpus()) AddStream(*stream, hash);
  if (session.tasks() != nullptr) AddStream(*session.tasks(), hash);
  for (const char* name : {kSymbolsFile, kPlainSymbolsFile})
    AddFileNow(session.directory(), name, hash);
  return hash.Digits();
}

}  // namespace gordian
