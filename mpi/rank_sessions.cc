// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_sessions.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/node_versions.h"
#include "mpi/build_identity.h"
#include "schema/session.pb.h"
#include "store/entry_format.h"
#include "trace/node_sessions.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

std::string BytesOfSession(const std::string& directory) {
  std::ifstream file(directory + "/session.pb", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of its session.pb, which holds the host and when the recording began.
std::string IdentityOf(const std::string& bytes) {
  return absl::StrCat(bytes.size(), ":",
                      ContentHash(std::as_bytes(std::span(bytes.data(), bytes.size()))));
}

std::string VersionIn(const std::string& bytes) {
  pb::Session session;
  return session.ParseFromString(bytes) ? session.recorder_version() : "";
}

uint64_t BytesIn(const std::string& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    const auto size = file.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

std::string PlaceOf(int rank, const pb::RankHello& hello) {
  return absl::StrCat("rank ", rank, " (", hello.host(), ")");
}

}  // namespace

pb::RankHello HelloOf(const std::string& program, const std::string& directory,
                      const absl::StatusOr<WorkFolder>& folder) {
  pb::RankHello hello;
  hello.set_program(program);
  hello.set_build(BuildIdentity());
  std::array<char, 256> host{};
  hello.set_host(::gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown");
  if (!folder.ok()) {
    hello.set_failure(std::string(folder.status().message()));
    return hello;
  }
  hello.set_folder(folder->identity());
  const auto sessions = FindNodeSessions(directory);
  if (!sessions.ok()) {
    hello.set_failure(absl::StrCat("has no recording: ", std::string(sessions.status().message())));
    return hello;
  }
  for (const NodeSession& session : *sessions) {
    pb::RankSession& told = *hello.add_sessions();
    told.set_node(session.node);
    told.set_directory(session.directory);
    const std::string bytes = BytesOfSession(session.directory);
    told.set_identity(IdentityOf(bytes));
    told.set_version(VersionIn(bytes));
    told.set_bytes(BytesIn(session.directory));
  }
  return hello;
}

namespace {

bool AllSeeOneAlone(const std::vector<pb::RankHello>& hellos) {
  return std::all_of(hellos.begin(), hellos.end(), [&](const pb::RankHello& hello) {
    return hello.sessions_size() == 1 && hello.sessions(0).node().empty() &&
           hello.sessions(0).identity() == hellos.front().sessions(0).identity();
  });
}

}  // namespace

absl::StatusOr<std::vector<SeenSession>> SessionsOf(const std::vector<pb::RankHello>& hellos) {
  for (size_t rank = 0; rank < hellos.size(); ++rank) {
    const pb::RankHello& hello = hellos[rank];
    if (!hello.failure().empty() || hello.sessions().empty())
      return absl::NotFoundError(
          absl::StrCat(PlaceOf(static_cast<int>(rank), hello), " ", CleanText(hello.failure())));
  }
  const bool is_alone = AllSeeOneAlone(hellos);
  struct Known {
    std::string identity;
    SeenSession session;
  };
  std::map<std::string, Known> known;
  for (size_t i = 0; i < hellos.size(); ++i) {
    const pb::RankHello& hello = hellos[i];
    const auto rank = static_cast<int>(i);
    for (const pb::RankSession& session : hello.sessions()) {
      const std::string node = session.node().empty() && !is_alone ? hello.host() : session.node();
      const auto [place, is_new] = known.try_emplace(node);
      Known& one = place->second;
      if (is_new) {
        one = {session.identity(),
               {.node = node,
                .directory = session.directory(),
                .is_carried = rank != 0,
                .bytes = session.bytes(),
                .version = session.version()}};
      } else if (one.identity != session.identity()) {
        const int other = one.session.ranks.front();
        return absl::InvalidArgumentError(
            absl::StrCat("two recordings are called ", CleanText(node), ": that of ",
                         PlaceOf(rank, hello), " in ", CleanText(session.directory()),
                         ", and that of ", PlaceOf(other, hellos[static_cast<size_t>(other)]),
                         " in ", CleanText(one.session.directory), "; rename one of the folders"));
      }
      if (one.session.directory == session.directory()) one.session.ranks.push_back(rank);
    }
  }
  if (known.size() > kMostNodes)
    return absl::ResourceExhaustedError(absl::StrCat("there are recordings of ", known.size(),
                                                     " nodes; ", kMostNodes, " can be joined"));
  std::vector<SeenSession> sessions;
  sessions.reserve(known.size());
  for (auto& [node, one] : known) sessions.push_back(std::move(one.session));
  return sessions;
}

std::string MixedVersionsOf(const std::vector<SeenSession>& sessions) {
  std::vector<NodeVersion> versions;
  versions.reserve(sessions.size());
  for (const SeenSession& session : sessions) versions.push_back({session.node, session.version});
  const std::string told = MixedVersionsText(versions);
  if (told.empty()) return "";
  return absl::StrCat("the recordings are of different versions of the recorder: ", told,
                      "; all are read");
}

}  // namespace gordian
