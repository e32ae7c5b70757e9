// SPDX-License-Identifier: Apache-2.0
// Any bytes as a probe file, and then as the file that its program has changed since: reading must
// end, and all words it gives must be sound.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "recorder/probes/probe_file.h"

namespace gordian {
namespace {

constexpr uint64_t kStartNs = 1000;

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckWord(const ProbeWord& word) {
  Require(word.tid > 0);
  Require(word.kind >= ProbeKind::kSpinBegin && word.kind <= ProbeKind::kCount);
  Require(word.name.size() <= GORDIAN_PROBE_NAME_BYTES);
  Require(word.key.size() <= GORDIAN_PROBE_KEY_BYTES);
}

// The first half is the file as it is opened; the second stands at the rings when it is read again.
void Read(std::span<const uint8_t> bytes) {
  const FileHandle file(memfd_create("probe", MFD_CLOEXEC));
  const auto before = bytes.first(bytes.size() / 2);
  const auto after = bytes.subspan(before.size());
  Require(write(file.get(), before.data(), before.size()) == static_cast<ssize_t>(before.size()));
  auto opened = ProbeFile::Open(FileHandle(dup(file.get())), kStartNs);
  if (!opened.ok()) {
    Require(!opened.status().message().empty());
    return;
  }
  ProbeRoom room;
  uint64_t given = 0;
  const auto take = [&given](const ProbeWord& word) {
    ++given;
    CheckWord(word);
  };
  Require(opened->Read([] { return kStartNs + 1'000'000; }, room, take).ok());
  const uint64_t most =
      std::min<uint64_t>(after.size(), before.size() - GORDIAN_PROBE_HEADER_BYTES);
  Require(pwrite(file.get(), after.data(), most, GORDIAN_PROBE_HEADER_BYTES) ==
          static_cast<ssize_t>(most));
  Require(opened->RecordUntil(kStartNs).ok());
  Require(opened->Read([] { return kStartNs + 2'000'000; }, room, take).ok());
  Require(opened->counts().read == given);
  const uint64_t rings = opened->header().rings;
  Require(given + opened->counts().invalid <=
          2 * rings * (uint64_t{opened->header().records_per_ring} + 2) + 2);
  // Lies about counts are bounded by the time that has passed.
  Require(opened->counts().lost <= (2 * rings + 1) * 2'100'000);
  Require(ftruncate(file.get(), 10) == 0);
  Require(!opened->Read([] { return kStartNs + 3'000'000; }, room, take).ok());
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gordian::Read({data, size});
  return 0;
}
