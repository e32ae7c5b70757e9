// Opens what a process has mapped.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "symbols/file_tree.h"
#include "symbols/symbols.h"

namespace gordian {

// The mapped file itself, whatever became of its name, or, where that is not allowed, the file that
// has its name and number in the process's root now.
std::optional<RegularFile> OpenMappedFile(const std::string& process_folder,
                                          const Mapping& mapping);

// Kernels' own images take a few pages; what claims to be larger is none.
constexpr size_t kMaxVdsoBytes = 256 << 10;

// The kernel gives every process of one kind the same one: ours stands for theirs.
std::shared_ptr<const FileHandle> OwnVdso(const std::string& build_id);

}  // namespace gordian
