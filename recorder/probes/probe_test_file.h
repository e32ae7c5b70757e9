// SPDX-License-Identifier: Apache-2.0
// A probe file made by hand, right or wrong in any way a test wants.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "probe/gordian_probe_layout.h"
#include "trace/file_io.h"
#include "trace/trace_event.h"

namespace gordian::testing {

class ProbeTestFile {
 public:
  // `records` per ring instead of the library's many: any power of two is allowed.
  ProbeTestFile(std::string path, int32_t pid, uint64_t created_ns, uint32_t rings = 4,
                uint32_t records = 16)
      : path_(std::move(path)), next_(rings) {
    header_.magic = GORDIAN_PROBE_MAGIC;
    header_.version = GORDIAN_PROBE_VERSION;
    header_.header_bytes = GORDIAN_PROBE_HEADER_BYTES;
    header_.rings = rings;
    header_.records_per_ring = records;
    header_.record_bytes = sizeof(gordian_probe_record);
    header_.pid = pid;
    header_.created_ns = created_ns;
    file_ = FileHandle(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    EXPECT_TRUE(file_.is_open()) << path_;
    SetBytes(FileBytes());
    Put(header_, 0);
  }

  gordian_probe_header& header() { return header_; }
  void WriteHeader() { Put(header_, 0); }
  uint64_t FileBytes() const {
    return header_.header_bytes + header_.rings * sizeof(gordian_probe_ring) +
           uint64_t{header_.rings} * header_.records_per_ring * sizeof(gordian_probe_record);
  }
  void SetBytes(uint64_t bytes) { EXPECT_EQ(ftruncate(file_.get(), static_cast<off_t>(bytes)), 0); }
  FileHandle Reopen() const { return FileHandle(open(path_.c_str(), O_RDWR | O_CLOEXEC)); }
  const std::string& path() const { return path_; }
  int fd() const { return file_.get(); }

  gordian_probe_record Record(uint64_t time_ns, int32_t tid, ProbeKind kind, uint64_t value = 0,
                              const std::string& name = "", const std::string& key = "") const {
    gordian_probe_record record{};
    record.time_ns = time_ns;
    record.value = value;
    record.tid = tid;
    record.kind = static_cast<uint8_t>(kind);
    record.name_bytes = static_cast<uint8_t>(name.size());
    record.key_bytes = static_cast<uint8_t>(key.size());
    std::memcpy(record.text, (name + key).data(), name.size() + key.size());
    return record;
  }

  // As the library writes it.
  void Say(const gordian_probe_record& record, size_t ring = 0) {
    const uint64_t number = next_[ring]++;
    SetRing(ring, {.begun = number + 1, .ended = number});
    Put(record, RecordOffset(ring, number % header_.records_per_ring));
    SetRing(ring, {.begun = number + 1, .ended = number + 1});
  }
  void SetRing(size_t ring, const gordian_probe_ring& state) {
    Put(state, header_.header_bytes + ring * sizeof(gordian_probe_ring));
  }
  uint64_t RecordOffset(size_t ring, uint64_t at) const {
    return header_.header_bytes + header_.rings * sizeof(gordian_probe_ring) +
           (ring * header_.records_per_ring + at) * sizeof(gordian_probe_record);
  }
  uint64_t record_until_ns() const {
    uint64_t until_ns = 0;
    EXPECT_EQ(pread(file_.get(), &until_ns, sizeof until_ns,
                    offsetof(gordian_probe_header, record_until_ns)),
              static_cast<ssize_t>(sizeof until_ns));
    return until_ns;
  }

 private:
  template <typename Value>
  void Put(const Value& value, uint64_t offset) {
    EXPECT_EQ(pwrite(file_.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
  }

  std::string path_;
  FileHandle file_;
  gordian_probe_header header_{};
  std::vector<uint64_t> next_;
};

}  // namespace gordian::testing
