// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "symbols/elf_identity.h"
#include "symbols/file_tree.h"
#include "symbols/mapped_file.h"
#include "symbols/maps_parser.h"
#include "symbols/perf_map.h"
#include "symbols/process_facts.h"
#include "symbols/symbol_counters.h"
#include "symbols/symbols.h"

namespace gordian {
namespace {

// Forgetting costs a second look at each file; mappings keep copies of their data.
constexpr size_t kMaxKnownFiles = 16384;

}  // namespace

ProcessCapture::ProcessCapture(SymbolPaths paths, CaptureLimits limits)
    : paths_(std::move(paths)), limits_(limits) {}

absl::StatusOr<ProcessMaps> ProcessCapture::Read(int pid, uint64_t start_time_ticks) {
  const std::optional<ProcessFacts> facts = FindProcess(paths_, pid, start_time_ticks);
  if (!facts) return absl::NotFoundError(absl::StrCat("process ", pid, " is gone"));
  const std::optional<RegularFile> file = OpenRegularFile(facts->folder + "/maps");
  if (!file) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot read ", facts->folder, "/maps; run as root"));
  }
  bool cut = false;
  ParsedMaps parsed =
      ParseMaps(ReadText(file->handle.get(), limits_.max_maps_bytes, cut), limits_.max_mappings);
  const uint64_t left_out = parsed.left_out + (cut ? 1 : 0);
  Count(counters_, "symbols_mappings_left_out", left_out);
  Count(counters_, "symbols_maps_lines_malformed", parsed.malformed_lines);

  ProcessMaps maps{.pid = pid,
                   .pid_in_namespace = facts->pid_in_namespace,
                   .start_time_ticks = facts->start_time_ticks,
                   .mappings = std::move(parsed.mappings)};
  for (Mapping& mapping : maps.mappings) {
    if (mapping.kind == MappingKind::kFile) IdentifyFile(facts->folder, mapping);
    if (mapping.kind == MappingKind::kVdso) IdentifyVdso(facts->folder, mapping);
  }
  return maps;
}

void ProcessCapture::IdentifyFile(const std::string& process_folder, Mapping& mapping) {
  std::optional<RegularFile> file = OpenMappedFile(process_folder, mapping);
  if (!file) {
    Count(counters_, "symbols_files_unreadable");
    return;
  }
  const std::string key = absl::StrCat(file->device, ":", file->inode, ":", file->size_bytes, ":",
                                       file->change_time_ns);
  if (known_files_.size() >= kMaxKnownFiles) known_files_.clear();
  const auto [at, is_new] = known_files_.try_emplace(key);
  KnownFile& known = at->second;
  if (is_new) {
    // A file that is no ELF file (a Java archive, a font) may be mapped executable too: it has no
    // names.
    absl::StatusOr<ElfIdentity> identity = ReadElfIdentity(file->handle.get());
    if (identity.ok()) {
      known.build_id = std::move(identity->build_id);
      known.segments = std::move(identity->segments);
    } else {
      Count(counters_, "symbols_files_malformed");
    }
    if (identity.ok() && !HostKnows(mapping)) {
      if (open_files_ < limits_.max_open_files) {
        ++open_files_;
        known.file = std::make_shared<const FileHandle>(std::move(file->handle));
      } else {
        Count(counters_, "symbols_files_not_held");
      }
    }
  }
  mapping.build_id = known.build_id;
  mapping.segments = known.segments;
  mapping.file = known.file;
}

bool ProcessCapture::HostKnows(const Mapping& mapping) const {
  if (mapping.deleted) return false;
  const std::optional<RegularFile> file = FileTree(paths_.root).Open(mapping.path);
  return file && file->inode == mapping.inode && file->device == mapping.device;
}

void ProcessCapture::IdentifyVdso(const std::string& process_folder, Mapping& mapping) {
  const uint64_t size_bytes = mapping.end - mapping.start;
  const std::optional<RegularFile> memory = OpenRegularFile(process_folder + "/mem");
  const FileHandle copy(::memfd_create("vdso", MFD_CLOEXEC));
  if (!memory || !copy.is_open() || size_bytes > kMaxVdsoBytes) return;
  std::string image(size_bytes, '\0');
  const ssize_t got =
      ::pread(memory->handle.get(), image.data(), image.size(), static_cast<off_t>(mapping.start));
  if (got <= 0 || ::pwrite(copy.get(), image.data(), got, 0) != got) return;
  absl::StatusOr<ElfIdentity> identity = ReadElfIdentity(copy.get());
  if (!identity.ok()) return;
  mapping.build_id = std::move(identity->build_id);
  mapping.segments = std::move(identity->segments);
}

void ProcessCapture::ReadPerfMap(ProcessMaps& maps) {
  const std::optional<ProcessFacts> facts = FindProcess(paths_, maps.pid, maps.start_time_ticks);
  if (!facts) return;
  const std::optional<RegularFile> file =
      FileTree(facts->folder + "/root")
          .Open(absl::StrCat("/tmp/perf-", facts->pid_in_namespace, ".map"));
  if (!file) return;
  // Any user may write to /tmp: names that another user made up do not count.
  if (facts->effective_user && file->owner != 0 && file->owner != *facts->effective_user) {
    Count(counters_, "symbols_perf_maps_foreign");
    return;
  }
  bool cut = false;
  PerfMap map = PerfMap::Parse(ReadText(file->handle.get(), kMaxPerfMapBytes, cut));
  Count(counters_, "symbols_perf_map_lines_malformed", map.malformed_lines());
  const uint64_t left_out = map.left_out() + (cut ? 1 : 0);
  Count(counters_, "symbols_perf_map_lines_left_out", left_out);
  maps.perf_map = std::make_shared<const PerfMap>(std::move(map));
}

}  // namespace gordian
