// SPDX-License-Identifier: Apache-2.0
#include "cli/mirrored_session.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/descriptor_limit.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A node that sends nothing for so long is not waited for.
constexpr auto kLongestWait = std::chrono::seconds(5);

absl::StatusOr<std::string> MakeFolder() {
  const char* const told = std::getenv("TMPDIR");
  std::string path =
      absl::StrCat(told != nullptr && *told != '\0' ? told : "/var/tmp", "/gordian-top-XXXXXX");
  if (mkdtemp(path.data()) == nullptr)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a folder for what is followed (",
                                                   path, "); $TMPDIR chooses another place"));
  return path;
}

std::string WhyOver(const MirrorState& state) {
  if (state.phase == MirrorState::Phase::kFailed) return std::string(state.error.message());
  return CleanText(state.end_reason);
}

}  // namespace

absl::StatusOr<std::unique_ptr<MirroredSession>> MirroredSession::Start(const DaemonChoice& daemons,
                                                                        const std::string& session,
                                                                        uint64_t keep_ns) {
  RaiseDescriptorLimit();
  auto cluster = Cluster::Open(daemons);
  if (!cluster.ok()) return cluster.status();
  const auto folder = MakeFolder();
  if (!folder.ok()) return folder.status();
  std::unique_ptr<MirroredSession> mirrored(new MirroredSession(*std::move(cluster), *folder));
  MirrorOptions options{.session = session, .directory = *folder + "/session"};
  options.limits.keep_ns = keep_ns;
  auto mirrors = MirrorNodes(mirrored->cluster_, options);
  const bool is_one = mirrored->cluster_.is_this_machine();
  absl::Status failure;
  for (size_t i = 0; i < mirrors.size(); ++i) {
    const std::string name = is_one ? "" : mirrored->cluster_.node(i).name;
    if (!mirrors[i].ok()) {
      failure.Update(mirrors[i].status());
      mirrored->unreachable_.push_back({name, std::string(mirrors[i].status().message())});
      continue;
    }
    const std::string directory =
        is_one ? options.directory : absl::StrCat(options.directory, "/", name);
    mirrored->nodes_.push_back({.folder = {name, directory}, .mirror = *std::move(mirrors[i])});
  }
  if (mirrored->nodes_.empty()) return failure;
  return mirrored;
}

MirroredSession::~MirroredSession() {
  nodes_.clear();  // ends the mirrors
  std::error_code error;
  std::filesystem::remove_all(directory_, error);
}

absl::StatusOr<std::vector<LiveNodeFolder>> MirroredSession::Folders() const {
  std::vector<LiveNodeFolder> there;
  size_t over = 0;
  absl::Status failure;
  for (const Node& node : nodes_) {
    std::error_code error;
    const MirrorState state = node.mirror->state();
    over += state.is_over() ? 1 : 0;
    if (state.phase == MirrorState::Phase::kFailed) failure.Update(state.error);
    if (std::filesystem::exists(node.folder.directory + "/session.pb", error))
      there.push_back(node.folder);
  }
  if (there.empty() && over == nodes_.size() && !failure.ok()) return failure;
  const bool is_worth_waiting = there.size() < nodes_.size() - std::min(over, nodes_.size()) &&
                                std::chrono::steady_clock::now() - begin_ < kLongestWait;
  if (there.empty() || is_worth_waiting)
    return absl::NotFoundError("the session has sent nothing yet");
  return there;
}

std::vector<MirroredSession::Ended> MirroredSession::TakeEnded() {
  std::vector<Ended> ended = std::exchange(unreachable_, {});
  for (Node& node : nodes_) {
    if (node.is_told) continue;
    const MirrorState state = node.mirror->state();
    if (!state.is_over()) continue;
    node.is_told = true;
    ended.push_back({node.folder.name, WhyOver(state)});
  }
  return ended;
}

}  // namespace gordian
