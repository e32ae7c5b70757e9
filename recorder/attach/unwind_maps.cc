// SPDX-License-Identifier: Apache-2.0
#include "recorder/attach/unwind_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

absl::Status KernelError(const char* what, int error) {
  return absl::ResourceExhaustedError(absl::StrCat("cannot ", what, ": ", strerror(error)));
}

int MakeArray(const char* name, uint32_t value_bytes, uint32_t flags) {
  bpf_map_create_opts options{};
  options.sz = sizeof(options);
  options.map_flags = flags;
  return bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t), value_bytes, 1, &options);
}

}  // namespace

UnwindMapWriter::~UnwindMapWriter() {
  for (const int chunk : chunks_)
    if (chunk >= 0) close(chunk);
}

absl::Status UnwindMapWriter::MakeChunk(uint32_t chunk) {
  if (chunks_.size() <= chunk) chunks_.resize(chunk + 1, -1);
  if (chunks_[chunk] >= 0) return absl::OkStatus();
  const int made = MakeArray("gordian_rows", sizeof(gd_unwind_chunk), BPF_F_MMAPABLE);
  if (made < 0) return KernelError("make room for unwind tables", -made);
  if (bpf_map_update_elem(maps_.chunks, &chunk, &made, BPF_ANY) != 0) {
    const int error = errno;
    close(made);
    return KernelError("install unwind tables", error);
  }
  chunks_[chunk] = made;
  return absl::OkStatus();
}

// The chunk is mapped only while it is written: its contents belong to the kernel side.
absl::Status UnwindMapWriter::WriteRows(uint32_t chunk, uint32_t first_row,
                                        std::span<const gd_unwind_row> rows) {
  if (absl::Status status = MakeChunk(chunk); !status.ok()) return status;
  void* memory =
      mmap(nullptr, sizeof(gd_unwind_chunk), PROT_READ | PROT_WRITE, MAP_SHARED, chunks_[chunk], 0);
  if (memory == MAP_FAILED) return KernelError("write unwind tables", errno);
  memcpy(static_cast<gd_unwind_chunk*>(memory)->rows + first_row, rows.data(), rows.size_bytes());
  munmap(memory, sizeof(gd_unwind_chunk));
  return absl::OkStatus();
}

absl::Status UnwindMapWriter::PutMappings(uint32_t set, uint32_t generation,
                                          std::span<const gd_unwind_range> ranges) {
  const auto mappings = std::make_unique<gd_unwind_mappings>();
  mappings->count = static_cast<uint32_t>(ranges.size());
  memcpy(mappings->ranges, ranges.data(), ranges.size_bytes());
  for (const uint32_t written : {0u, generation}) {
    mappings->generation = written;
    if (bpf_map_update_elem(maps_.mappings, &set, mappings.get(), BPF_ANY) != 0)
      return KernelError("write a process's mappings", errno);
  }
  return absl::OkStatus();
}

absl::Status UnwindMapWriter::SetProcess(int32_t tgid, gd_unwind_process process) {
  if (bpf_map_update_elem(maps_.processes, &tgid, &process, BPF_ANY) != 0)
    return KernelError("tell the kernel side of a process", errno);
  return absl::OkStatus();
}

void UnwindMapWriter::RemoveProcess(int32_t tgid) { bpf_map_delete_elem(maps_.processes, &tgid); }

}  // namespace gordian
