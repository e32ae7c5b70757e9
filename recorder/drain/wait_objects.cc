#include "recorder/drain/wait_objects.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

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

// The names come innermost first.
std::string PathOf(const gd_wait_object& object) {
  std::string_view text(object.path, object.path_bytes);
  if (object.object == GD_OBJECT_SOCKET) return std::string(text);
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const size_t length = std::min(text.find('\0'), text.size());
    names.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  std::string path;
  if (object.path_state == GD_PATH_WHOLE && names.empty()) path = "/";
  if (object.path_state == GD_PATH_CUT && !names.empty()) path = "…";
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (object.path_state != GD_PATH_NAME) path += '/';
    path += *name;
  }
  return path;
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
