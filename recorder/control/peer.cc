// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/peer.h"

#include <grp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Groups with very many members need room for all their names.
constexpr size_t kMaxGroupEntryBytes = 1u << 20;

std::optional<gid_t> GroupId(const std::string& name) {
  std::vector<char> buffer(1024);
  group entry = {};
  group* found = nullptr;
  int error = 0;
  while ((error = getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found)) ==
             ERANGE &&
         buffer.size() < kMaxGroupEntryBytes) {
    buffer.resize(buffer.size() * 4);
  }
  if (error != 0 || found == nullptr) return std::nullopt;
  return entry.gr_gid;
}

absl::Status SocketError(const char* what) {
  return absl::InternalError(
      absl::StrCat("cannot tell the peer's ", what, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<Peer> PeerOf(int socket) {
  ucred credentials = {};
  socklen_t size = sizeof(credentials);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return SocketError("uid");
  }
  Peer peer{.uid = credentials.uid, .gid = credentials.gid, .pid = credentials.pid};

  peer.supplementary_gids.resize(32);
  for (int attempt = 0; attempt < 2;
       ++attempt) {  // ERANGE tells the size, which is fixed from then on
    size = static_cast<socklen_t>(peer.supplementary_gids.size() * sizeof(gid_t));
    const int result =
        getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, peer.supplementary_gids.data(), &size);
    if (result != 0 && errno != ERANGE) return SocketError("groups");
    peer.supplementary_gids.resize(size / sizeof(gid_t));
    if (result == 0) return peer;
  }
  return SocketError("groups");
}

Role RoleOf(const Peer& peer, const std::string& operators_group) {
  if (peer.uid == 0) return Role::kOperator;
  const std::optional<gid_t> operators = GroupId(operators_group);
  if (!operators) return Role::kViewer;
  const bool member = peer.gid == *operators ||
                      std::find(peer.supplementary_gids.begin(), peer.supplementary_gids.end(),
                                *operators) != peer.supplementary_gids.end();
  return member ? Role::kOperator : Role::kViewer;
}

}  // namespace gordian
