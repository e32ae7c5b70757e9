// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/perf_code.h"

#include <linux/perf_event.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <string>
#include <utility>

#include "import/kernel/byte_cursor.h"

namespace gordian {
namespace {

constexpr uint16_t kMappedData = 1u << 13;      // PERF_RECORD_MISC_MMAP_DATA
constexpr uint16_t kMappedBuildId = 1u << 14;   // PERF_RECORD_MISC_MMAP_BUILD_ID
constexpr uint16_t kBuildIdHasSize = 1u << 15;  // PERF_RECORD_MISC_BUILD_ID_SIZE
constexpr size_t kBuildIdBytes = 20;

std::string BuildId(std::span<const uint8_t> bytes, size_t size) {
  bytes = bytes.first(std::min({bytes.size(), size, kBuildIdBytes}));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

MappingKind KindOfPath(std::string_view path) {
  if (path == "[vdso]") return MappingKind::kVdso;
  const bool file = path.starts_with('/') && !path.starts_with("//");
  return file ? MappingKind::kFile : MappingKind::kAnonymous;
}

bool TakeFileOfMapping(bool has_build_id, ByteCursor& bytes, Mapping& mapping) {
  constexpr uint64_t kIdentityBytes = 24;
  std::span<const uint8_t> identity;
  if (!bytes.TakeBytes(kIdentityBytes, identity) || !bytes.Skip(8)) return false;
  if (has_build_id) {
    mapping.build_id = BuildId(identity.subspan(4), identity[0]);
    return true;
  }
  ByteCursor file(identity);
  uint32_t major = 0;
  uint32_t minor = 0;
  file.Take(major);
  file.Take(minor);
  file.Take(mapping.inode);
  mapping.device = makedev(major, minor);
  return true;
}

}  // namespace

bool TakePerfMapping(uint32_t type, uint16_t misc, std::span<const uint8_t> body, uint64_t time_ns,
                     CodeMap& map) {
  ByteCursor bytes(body);
  int32_t pid = 0;
  uint64_t size_bytes = 0;
  Mapping mapping;
  if (!bytes.Take(pid) || !bytes.Skip(4) || !bytes.Take(mapping.start) || !bytes.Take(size_bytes) ||
      !bytes.Take(mapping.file_offset))
    return false;
  if (type == PERF_RECORD_MMAP2 && !TakeFileOfMapping((misc & kMappedBuildId) != 0, bytes, mapping))
    return false;
  if ((misc & kMappedData) != 0) return true;
  mapping.end = mapping.start + std::min(size_bytes, UINT64_MAX - mapping.start);
  std::string_view path = ZeroEnded(bytes.rest());
  if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL) {
    map.AddKernelMapping(mapping.start, mapping.end, path);
    return true;
  }
  constexpr std::string_view kDeleted = " (deleted)";
  mapping.deleted = path.ends_with(kDeleted);
  if (mapping.deleted) path.remove_suffix(kDeleted.size());
  mapping.kind = KindOfPath(path);
  mapping.path = path;
  map.AddMapping(time_ns, pid, std::move(mapping));
  return true;
}

bool TakePerfKernelFunction(std::span<const uint8_t> body, CodeMap& map) {
  constexpr uint16_t kUnregistered = 1;
  ByteCursor bytes(body);
  uint64_t start = 0;
  uint32_t size_bytes = 0;
  uint16_t flags = 0;
  if (!bytes.Take(start) || !bytes.Take(size_bytes) || !bytes.Skip(2) || !bytes.Take(flags))
    return false;
  if ((flags & kUnregistered) == 0 && start <= UINT64_MAX - size_bytes)
    map.AddKernelFunction(start, start + size_bytes, ZeroEnded(bytes.rest()));
  return true;
}

bool TakePerfBuildIds(std::span<const uint8_t> list, CodeMap& map) {
  constexpr uint64_t kHeaderBytes = 8;
  constexpr uint64_t kFieldBytes = 24;  // the id, its size, padding
  for (ByteCursor bytes(list); bytes.left() > 0;) {
    uint16_t misc = 0;
    uint16_t size = 0;
    std::span<const uint8_t> body;
    std::span<const uint8_t> field;
    if (!bytes.Skip(4) || !bytes.Take(misc) || !bytes.Take(size) || size < kHeaderBytes ||
        !bytes.TakeBytes(size - kHeaderBytes, body))
      return false;
    ByteCursor entry(body);
    if (!entry.Skip(4) || !entry.TakeBytes(kFieldBytes, field)) return false;
    const size_t id_bytes = (misc & kBuildIdHasSize) != 0 ? field[kBuildIdBytes] : kBuildIdBytes;
    map.NoteBuildId(ZeroEnded(entry.rest()), BuildId(field, id_bytes));
  }
  return true;
}

}  // namespace gordian
