// SPDX-License-Identifier: Apache-2.0
// Opens the files that a process has mapped.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "symbols/file_tree.h"
#include "symbols/symbols.h"

namespace gordian {

// The mapped file itself, even if its name is gone; or, if that is not allowed, the file that has
// its name and number in the process's root now.
std::optional<RegularFile> OpenMappedFile(const std::string& process_folder,
                                          const Mapping& mapping);

// Kernels' own images take a few pages; a larger one is no such image.
constexpr size_t kMaxVdsoBytes = 256 << 10;

// The kernel gives every process of one kind the same one: ours stands for theirs.
std::shared_ptr<const FileHandle> OwnVdso(const std::string& build_id);

}  // namespace gordian
