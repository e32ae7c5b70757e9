// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/wait_objects.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "recorder/drain/path_text.h"

namespace gordian {
namespace {

WaitObjectKind AnonymousKind(std::string_view name) {
  if (name == "[eventpoll]") return WaitObjectKind::kEpoll;
  if (name == "[eventfd]") return WaitObjectKind::kEventFd;
  return WaitObjectKind::kOtherFile;
}

WaitObjectKind FileKind(const gd_wait_object& object, std::string_view path) {
  if (object.anonymous != 0) return AnonymousKind(path);
  switch (object.mode & S_IFMT) {
    case S_IFREG:
      return WaitObjectKind::kFile;
    case S_IFDIR:
      return WaitObjectKind::kDirectory;
    case S_IFIFO:
      return WaitObjectKind::kPipe;
    case S_IFCHR:
    case S_IFBLK:
      return WaitObjectKind::kDevice;
    default:
      return WaitObjectKind::kOtherFile;
  }
}

WaitObjectKind KindOf(const gd_wait_object& object, std::string_view path) {
  switch (object.object) {
    case GD_OBJECT_FUTEX:
      return WaitObjectKind::kFutex;
    case GD_OBJECT_FILE:
      return FileKind(object, path);
    case GD_OBJECT_SOCKET:
      return WaitObjectKind::kSocket;
    case GD_OBJECT_DESCRIPTORS:
      return WaitObjectKind::kDescriptors;
    case GD_OBJECT_CHILD:
      return WaitObjectKind::kChild;
    case GD_OBJECT_TIMER:
      return WaitObjectKind::kTimer;
    case GD_OBJECT_FAULT:
      return WaitObjectKind::kFault;
  }
  return WaitObjectKind::kUnknown;
}

std::string PathOf(const gd_wait_object& object) {
  const std::string_view text(object.path, object.path_bytes);
  return object.object == GD_OBJECT_SOCKET ? std::string(text) : PathText(text, object.path_state);
}

// A path that ends in the middle of a unix socket's padding.
void CutPadding(std::string& path) {
  const size_t end = path.find_last_not_of('\0');
  path.resize(end == std::string::npos ? 0 : end + 1);
}

}  // namespace

std::optional<WaitObjectRecord> ToWaitObject(const gd_wait_object& object) {
  if (object.path_bytes > sizeof(object.path)) return std::nullopt;
  WaitObjectRecord record{.call = static_cast<WaitCall>(object.call < GD_CALLS ? object.call : 0),
                          .shared = object.shared != 0,
                          .tgid = object.tgid,
                          .descriptor = object.descriptor,
                          .value = object.value,
                          .device = object.device,
                          .path = PathOf(object)};
  record.kind = KindOf(object, record.path);
  if (record.kind != WaitObjectKind::kSocket) return record;
  CutPadding(record.path);
  record.listening = object.listening != 0;
  record.peer_tgid = object.peer_tgid;
  record.family = object.family;
  record.protocol = object.protocol;
  record.local_port = object.local_port;
  record.peer_port = object.peer_port;
  std::copy(std::begin(object.local), std::end(object.local), record.local.begin());
  std::copy(std::begin(object.peer), std::end(object.peer), record.peer.begin());
  return record;
}

}  // namespace gordian
