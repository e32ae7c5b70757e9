// SPDX-License-Identifier: Apache-2.0
#include "mpi/work_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/this_program.h"
#include "analyzer/kept/kept_timeline.h"
#include "trace/own_folder.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Of a section in one message.
constexpr uint64_t kPartBytes = 8 << 20;
// Raised with each change of what units hold.
constexpr uint32_t kUnitFormat = 1001 + kKeptTimelineFormat;

StoreKey StoreKeyOf(const pb::RankKey& key) {
  return {.recording = key.recording(),
          .stage = key.stage(),
          .format = kUnitFormat,
          .options = absl::StrCat(key.options(), ";", ThisProgram())};
}

std::string ThisHost() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

absl::StatusOr<pb::RankPart> PartOf(const std::string& answer) {
  pb::RankPart part;
  if (!part.ParseFromString(answer))
    return absl::DataLossError("a rank sent a part that does not check");
  if (part.code() != 0)
    return absl::Status(static_cast<absl::StatusCode>(part.code()), part.failure());
  return part;
}

absl::Status FillIn(StoredEntry& entry, const pb::RankFetch& fetch, pb::RankPart& part) {
  if (fetch.section().empty()) {
    for (const std::string& name : entry.Sections()) {
      pb::RankSection& section = *part.add_sections();
      section.set_name(name);
      const auto bytes = entry.SectionBytes(name);
      if (!bytes.ok()) return bytes.status();
      section.set_bytes(*bytes);
    }
    return absl::OkStatus();
  }
  const auto bytes = entry.SectionBytes(fetch.section());
  if (!bytes.ok()) return bytes.status();
  if (fetch.offset() > *bytes) return absl::OutOfRangeError("the section is shorter");
  const auto content =
      entry.Part(fetch.section(), fetch.offset(), std::min(kPartBytes, *bytes - fetch.offset()));
  if (!content.ok()) return content.status();
  part.set_content(content->data(), content->size());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WorkFolder> WorkFolder::Open(const std::string& folder, int threads) {
  if (const auto own = OpenOwnFolder(folder); !own.ok())
    return absl::FailedPreconditionError(
        absl::StrCat("the work folder '", CleanText(folder), "' is not used: ",
                     std::string(own.status().message()), "; give one of your own with --work"));
  // As large as the store of one process may be.
  const auto limits = StoreOptionsFromEnvironment();
  if (!limits.ok()) return limits.status();
  auto store =
      Store::Open({.folder = folder, .limit_bytes = limits->limit_bytes, .threads = threads});
  if (!store.ok()) return store.status();
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot look at the work folder ", folder));
  return WorkFolder(*std::move(store),
                    absl::StrCat(ThisHost(), ":", status.st_dev, ":", status.st_ino));
}

pb::RankKey FileOf(pb::RankKey key) {
  key.clear_member();
  return key;
}

pb::RankKey MemberOf(pb::RankKey file, uint32_t member) {
  file.set_member(absl::StrCat(member));
  return file;
}

absl::StatusOr<StoredEntry> ResultsInARow::Find(const pb::RankKey& key) {
  if (key.member().empty()) return folder_.Find(key);
  const pb::RankKey file = FileOf(key);
  const std::string wanted = file.SerializeAsString();
  if (!file_ || latest_ != wanted) {
    file_.reset();
    auto entry = folder_.Find(file);
    if (!entry.ok()) return entry.status();
    file_ = *std::move(entry);
    latest_ = wanted;
  }
  return file_->Member(key.member());
}

absl::StatusOr<StoredEntry> WorkFolder::Find(const pb::RankKey& key) const {
  auto entry = store_.Find(StoreKeyOf(key));
  if (entry.ok() && !key.member().empty()) return entry->Member(key.member());
  // What is made next may need the room of what was made before.
  if (absl::IsNotFound(entry.status()))
    return absl::NotFoundError(absl::StrCat(
        "a result is not in the work folder ", store_.folder(),
        " any more: give it more room (--work, GORDIAN_STORE_LIMIT), and start again"));
  return entry;
}

absl::StatusOr<StoreWriter> WorkFolder::Begin(const pb::RankKey& key, const std::string& path,
                                              uint64_t expected_bytes) const {
  return store_.Begin(StoreKeyOf(key), path, expected_bytes);
}

std::string WorkFolder::Answer(const std::string& asked) const {
  pb::RankFetch fetch;
  pb::RankPart part;
  absl::Status status;
  if (!fetch.ParseFromString(asked)) {
    status = absl::InvalidArgumentError("a rank asked for something that does not check");
  } else if (auto entry = Find(fetch.key()); entry.ok()) {
    status = FillIn(*entry, fetch, part);
  } else {
    status = entry.status();
  }
  if (!status.ok()) {
    part.Clear();
    part.set_code(static_cast<int>(status.code()));
    part.set_failure(std::string(status.message()));
  }
  return part.SerializeAsString();
}

absl::Status WorkFolder::Bring(Ranks& ranks, int from, const pb::RankKey& key) const {
  const pb::RankKey file = FileOf(key);
  if (Find(file).ok()) return absl::OkStatus();
  pb::RankFetch fetch;
  *fetch.mutable_key() = file;
  const auto fetch_part = [&]() -> absl::StatusOr<pb::RankPart> {
    const auto answer = ranks.Fetch(from, fetch.SerializeAsString());
    if (!answer.ok()) return answer.status();
    return PartOf(*answer);
  };
  const auto table = fetch_part();
  if (!table.ok()) return table.status();
  uint64_t bytes = 0;
  for (const pb::RankSection& section : table->sections()) bytes += section.bytes();
  auto writer = Begin(file, absl::StrCat("rank ", from), bytes);
  if (!writer.ok()) return writer.status();
  for (const pb::RankSection& section : table->sections()) {
    GrowingSection copy = writer->Grow(section.name());
    fetch.set_section(section.name());
    for (uint64_t offset = 0; offset < section.bytes();) {
      fetch.set_offset(offset);
      const auto part = fetch_part();
      if (!part.ok()) return part.status();
      const std::string& content = part->content();
      if (content.empty() || content.size() > section.bytes() - offset)
        return absl::DataLossError("a rank sent a part that does not fit");
      copy.Append(std::as_bytes(std::span(content.data(), content.size())));
      offset += content.size();
    }
  }
  return writer->Commit();
}

}  // namespace gordian
