// SPDX-License-Identifier: Apache-2.0
#include "symbols/mapped_file.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_format.h"
#include "symbols/elf_identity.h"

namespace gordian {
std::optional<RegularFile> OpenMappedFile(const std::string& process_folder,
                                          const Mapping& mapping) {
  std::optional<RegularFile> file = OpenRegularFile(
      absl::StrFormat("%s/map_files/%x-%x", process_folder, mapping.start, mapping.end));
  if (file || mapping.deleted) return file;
  file = FileTree::OfProcess(process_folder).Open(mapping.path);
  if (file && file->inode != mapping.inode) file.reset();
  return file;
}

std::shared_ptr<const FileHandle> OwnVdso(const std::string& build_id) {
  const unsigned long address = ::getauxval(AT_SYSINFO_EHDR);
  if (address == 0 || build_id.empty()) return nullptr;
  FileHandle copy(::memfd_create("vdso", MFD_CLOEXEC));
  const FileHandle memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  std::string image(kMaxVdsoBytes, '\0');
  // Ends at the first page behind the image that cannot be read.
  const ssize_t got =
      ::pread(memory.get(), image.data(), image.size(), static_cast<off_t>(address));
  if (got <= 0 || ::pwrite(copy.get(), image.data(), got, 0) != got) return nullptr;
  const absl::StatusOr<ElfIdentity> identity = ReadElfIdentity(copy.get());
  if (!identity.ok() || identity->build_id != build_id) return nullptr;
  return std::make_shared<const FileHandle>(std::move(copy));
}

}  // namespace gordian
