// SPDX-License-Identifier: Apache-2.0
// Cutting a session out of a running one: SessionWriter::Snapshot.
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/session_writer.h"

namespace gordian {

absl::Status SessionWriter::Snapshot(const std::string& directory, const pb::Session& session) {
  std::error_code error;
  const bool existed = std::filesystem::exists(directory, error);
  if (auto status = MakeEmptyDirectory(directory); !status.ok()) return status;
  auto status = FillSnapshot(directory, session);
  if (status.ok()) return status;
  // Half a snapshot would pass for a whole one.
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    unlink(entry.path().c_str());
  }
  if (!existed) rmdir(directory.c_str());
  return status;
}

absl::Status SessionWriter::FillSnapshot(const std::string& directory, const pb::Session& session) {
  for (const auto& [cpu, stream] : cpus_) {
    if (auto status = CopyStream(stream, directory); !status.ok()) return status;
  }
  if (auto status = CopyStream(resources_, directory); !status.ok()) return status;
  if (auto status = CopyStream(tasks_, directory); !status.ok()) return status;

  SessionWriter cut(directory, SessionWriterOptions{});
  cut.tasks_.ContinueAfter(tasks_);
  cut.identity_snapshot_ = identity_snapshot_;
  cut.events_written_ = events_on_disk();
  if (auto status = cut.AppendIdentity(); !status.ok()) return status;
  return cut.WriteSession(session);
}

absl::Status SessionWriter::CopyStream(const StreamWriter& stream,
                                       const std::string& directory) const {
  for (const Segment& segment : stream.segments()) {
    const std::string from = stream.SegmentPath(segment);
    const std::string to =
        absl::StrCat(directory, "/", SegmentFileName({stream.stream(), segment.number}));
    const bool is_open = stream.has_open_segment() && &segment == &stream.segments().back();
    // A closed segment never changes again, so both folders may share it. Another file system, or
    // one without links, gets a copy.
    if (!is_open && link(from.c_str(), to.c_str()) == 0) continue;
    if (auto status = CopyFile(from, to, segment.bytes); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gordian
