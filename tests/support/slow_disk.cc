// SPDX-License-Identifier: Apache-2.0
#include "tests/support/slow_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian::testing {
namespace {

constexpr int kServers = 4;  // readers get through while writers wait
constexpr uint32_t kMaxWriteBytes = 64 << 10;
constexpr size_t kMaxRequestBytes = kMaxWriteBytes + (4 << 10);
constexpr uint64_t kRootNode = FUSE_ROOT_ID;

fuse_attr AttributesOf(const struct stat& status, uint64_t node) {
  fuse_attr attributes{};
  attributes.ino = node;
  attributes.size = static_cast<uint64_t>(status.st_size);
  attributes.blocks = static_cast<uint64_t>(status.st_blocks);
  attributes.atime = static_cast<uint64_t>(status.st_atim.tv_sec);
  attributes.mtime = static_cast<uint64_t>(status.st_mtim.tv_sec);
  attributes.ctime = static_cast<uint64_t>(status.st_ctim.tv_sec);
  attributes.atimensec = static_cast<uint32_t>(status.st_atim.tv_nsec);
  attributes.mtimensec = static_cast<uint32_t>(status.st_mtim.tv_nsec);
  attributes.ctimensec = static_cast<uint32_t>(status.st_ctim.tv_nsec);
  attributes.mode = status.st_mode;
  attributes.nlink = static_cast<uint32_t>(status.st_nlink);
  attributes.uid = status.st_uid;
  attributes.gid = status.st_gid;
  attributes.blksize = static_cast<uint32_t>(status.st_blksize);
  return attributes;
}

bool IsChange(uint32_t opcode) {
  switch (opcode) {
    case FUSE_CREATE:
    case FUSE_MKDIR:
    case FUSE_SETATTR:
    case FUSE_WRITE:
    case FUSE_FSYNC:
    case FUSE_RENAME:
    case FUSE_RENAME2:
    case FUSE_UNLINK:
    case FUSE_RMDIR:
      return true;
    default:
      return false;
  }
}

// A result of the system, or its error.
int ErrorOf(int result) { return result < 0 ? -errno : 0; }

}  // namespace

// As it came from the kernel, which is believed.
struct SlowDisk::Request {
  const fuse_in_header* header = nullptr;
  const char* body = nullptr;

  template <typename Arguments>
  const Arguments& As() const {
    return *reinterpret_cast<const Arguments*>(body);
  }
  // What stands behind the arguments.
  template <typename Arguments>
  const char* Behind() const {
    return body + sizeof(Arguments);
  }
};

struct SlowDisk::Reply {
  std::string bytes;
  template <typename Part>
  void Add(const Part& part) {
    bytes.append(reinterpret_cast<const char*>(&part), sizeof(part));
  }
};

absl::StatusOr<std::unique_ptr<SlowDisk>> SlowDisk::Mount(const std::string& files,
                                                          const std::string& mounted_at) {
  auto disk = std::unique_ptr<SlowDisk>(new SlowDisk(files, mounted_at));
  disk->device_ = FileHandle(open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!disk->device_.is_open()) return SystemError(errno, "cannot open", "/dev/fuse");
  disk->end_ = FileHandle(eventfd(0, EFD_CLOEXEC));
  if (!disk->end_.is_open()) return SystemError(errno, "cannot make", "an eventfd");
  if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return SystemError(errno, "cannot have own mounts for", mounted_at);
  const std::string options =
      absl::StrCat("fd=", disk->device_.get(), ",rootmode=40000,user_id=0,group_id=0,allow_other");
  if (mount("gordian-slow-disk", mounted_at.c_str(), "fuse", MS_NOSUID | MS_NODEV,
            options.c_str()) != 0)
    return SystemError(errno, "cannot mount", mounted_at);
  for (int i = 0; i < kServers; ++i)
    disk->servers_.emplace_back([serving = disk.get()] { serving->Serve(); });
  return disk;
}

SlowDisk::~SlowDisk() {
  GoOn();
  umount2(mounted_at_.c_str(), MNT_DETACH);
  const uint64_t one = 1;
  if (end_.is_open() && write(end_.get(), &one, sizeof(one)) != sizeof(one)) std::abort();
  for (std::thread& server : servers_) server.join();
}

void SlowDisk::Stall() {
  const std::lock_guard lock(mutex_);
  stalls_ = true;
}

void SlowDisk::GoOn() {
  {
    const std::lock_guard lock(mutex_);
    stalls_ = false;
  }
  goes_on_.notify_all();
}

void SlowDisk::WaitForDisk() {
  std::this_thread::sleep_for(std::chrono::microseconds(change_us_ / 2));
  std::unique_lock lock(mutex_);
  ++waiting_;
  goes_on_.wait(lock, [this] { return !stalls_; });
  --waiting_;
}

void SlowDisk::Serve() {
  std::vector<char> buffer(kMaxRequestBytes);
  while (true) {
    std::array<pollfd, 2> files = {{{device_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}}};
    if (poll(files.data(), files.size(), -1) < 0 && errno != EINTR) return;
    if (files[1].revents != 0) return;
    const ssize_t size = read(device_.get(), buffer.data(), buffer.size());
    if (size < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOENT)) continue;
    if (size < static_cast<ssize_t>(sizeof(fuse_in_header))) return;  // it is mounted no more
    const Request request{.header = reinterpret_cast<const fuse_in_header*>(buffer.data()),
                          .body = buffer.data() + sizeof(fuse_in_header)};
    Reply reply;
    reply.Add(fuse_out_header{});
    if (!Handle(request, reply)) continue;
    // Who asked may be gone.
    if (write(device_.get(), reply.bytes.data(), reply.bytes.size()) < 0) continue;
  }
}

bool SlowDisk::Handle(const Request& request, Reply& reply) {
  const uint32_t opcode = request.header->opcode;
  if (opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET || opcode == FUSE_INTERRUPT)
    return false;
  int error = 0;
  if (IsChange(opcode)) {
    WaitForDisk();
    error = Change(request, reply);
    ++changes_;
    WaitForDisk();
  } else {
    error = Look(request, reply);
  }
  fuse_out_header header{};
  if (error != 0) reply.bytes.resize(sizeof(header));
  header.len = static_cast<uint32_t>(reply.bytes.size());
  header.error = error;
  header.unique = request.header->unique;
  std::memcpy(reply.bytes.data(), &header, sizeof(header));
  return true;
}

int SlowDisk::Change(const Request& request, Reply& reply) {
  switch (request.header->opcode) {
    case FUSE_CREATE:
      return Create(request, reply);
    case FUSE_MKDIR: {
      const std::string path = PathIn(request.header->nodeid, request.Behind<fuse_mkdir_in>());
      const int error = ErrorOf(mkdir(path.c_str(), request.As<fuse_mkdir_in>().mode));
      return error != 0 ? error : TellEntry(path, reply);
    }
    case FUSE_SETATTR:
      return SetAttributes(request, reply);
    case FUSE_WRITE:
      return Write(request, reply);
    case FUSE_RENAME:
    case FUSE_RENAME2:
      return Rename(request);
    case FUSE_UNLINK:
    case FUSE_RMDIR:
      return Remove(request);
    default:  // FUSE_FSYNC: what was written is there
      return 0;
  }
}

int SlowDisk::Look(const Request& request, Reply& reply) {
  const uint64_t node = request.header->nodeid;
  switch (request.header->opcode) {
    case FUSE_INIT: {
      fuse_init_out told{};
      told.major = FUSE_KERNEL_VERSION;
      told.minor = std::min<uint32_t>(request.As<fuse_init_in>().minor, 31);
      told.max_write = kMaxWriteBytes;
      told.flags = request.As<fuse_init_in>().flags & FUSE_BIG_WRITES;
      told.max_background = 16;
      told.congestion_threshold = 12;
      reply.Add(told);
      return 0;
    }
    case FUSE_LOOKUP:
      return TellEntry(PathIn(node, request.body), reply);
    case FUSE_GETATTR:
      return TellAttributes(PathOf(node), reply);
    case FUSE_OPEN: {
      const int flags = static_cast<int>(request.As<fuse_open_in>().flags) & (O_ACCMODE | O_TRUNC);
      const int file = open(PathOf(node).c_str(), flags | O_CLOEXEC);
      if (file < 0) return -errno;
      fuse_open_out told{};
      told.fh = static_cast<uint64_t>(file);
      told.open_flags = FOPEN_DIRECT_IO;
      reply.Add(told);
      return 0;
    }
    case FUSE_READ: {
      const auto& asked = request.As<fuse_read_in>();
      const size_t header_bytes = reply.bytes.size();
      reply.bytes.resize(header_bytes + asked.size);
      const ssize_t size = pread(static_cast<int>(asked.fh), reply.bytes.data() + header_bytes,
                                 asked.size, static_cast<off_t>(asked.offset));
      if (size < 0) return -errno;
      reply.bytes.resize(header_bytes + static_cast<size_t>(size));
      return 0;
    }
    case FUSE_RELEASE:
      return ErrorOf(close(static_cast<int>(request.As<fuse_release_in>().fh)));
    case FUSE_OPENDIR:
      reply.Add(fuse_open_out{});
      return 0;
    case FUSE_READDIR:
      return ReadFolder(request, reply);
    case FUSE_STATFS: {
      struct statvfs status {};
      if (statvfs(files_.c_str(), &status) != 0) return -errno;
      fuse_statfs_out told{};
      told.st.blocks = status.f_blocks;
      told.st.bfree = status.f_bfree;
      told.st.bavail = status.f_bavail;
      told.st.files = status.f_files;
      told.st.ffree = status.f_ffree;
      told.st.bsize = static_cast<uint32_t>(status.f_bsize);
      told.st.frsize = static_cast<uint32_t>(status.f_frsize);
      told.st.namelen = static_cast<uint32_t>(status.f_namemax);
      reply.Add(told);
      return 0;
    }
    case FUSE_RELEASEDIR:
    case FUSE_FLUSH:
    case FUSE_FSYNCDIR:
      return 0;
    default:
      return -ENOSYS;
  }
}

int SlowDisk::Create(const Request& request, Reply& reply) {
  const auto& asked = request.As<fuse_create_in>();
  const std::string path = PathIn(request.header->nodeid, request.Behind<fuse_create_in>());
  const int flags = static_cast<int>(asked.flags) & (O_ACCMODE | O_TRUNC | O_EXCL);
  const int file = open(path.c_str(), flags | O_CREAT | O_CLOEXEC, asked.mode);
  if (file < 0) return -errno;
  if (const int error = TellEntry(path, reply); error != 0) {
    close(file);
    return error;
  }
  fuse_open_out told{};
  told.fh = static_cast<uint64_t>(file);
  told.open_flags = FOPEN_DIRECT_IO;
  reply.Add(told);
  return 0;
}

int SlowDisk::SetAttributes(const Request& request, Reply& reply) {
  const auto& asked = request.As<fuse_setattr_in>();
  const std::string path = PathOf(request.header->nodeid);
  int error = 0;
  if (asked.valid & FATTR_SIZE)
    error = ErrorOf(truncate(path.c_str(), static_cast<off_t>(asked.size)));
  if (error == 0 && (asked.valid & FATTR_MODE)) error = ErrorOf(chmod(path.c_str(), asked.mode));
  if (error == 0 && (asked.valid & (FATTR_UID | FATTR_GID)))
    error = ErrorOf(chown(path.c_str(), asked.valid & FATTR_UID ? asked.uid : uid_t(-1),
                          asked.valid & FATTR_GID ? asked.gid : gid_t(-1)));
  return error != 0 ? error : TellAttributes(path, reply);
}

int SlowDisk::Write(const Request& request, Reply& reply) {
  const auto& asked = request.As<fuse_write_in>();
  const ssize_t size = pwrite(static_cast<int>(asked.fh), request.Behind<fuse_write_in>(),
                              asked.size, static_cast<off_t>(asked.offset));
  if (size < 0) return -errno;
  fuse_write_out told{};
  told.size = static_cast<uint32_t>(size);
  reply.Add(told);
  return 0;
}

int SlowDisk::Rename(const Request& request) {
  const bool has_flags = request.header->opcode == FUSE_RENAME2;
  if (has_flags && request.As<fuse_rename2_in>().flags != 0) return -EINVAL;
  const uint64_t to_folder =
      has_flags ? request.As<fuse_rename2_in>().newdir : request.As<fuse_rename_in>().newdir;
  const char* const name =
      has_flags ? request.Behind<fuse_rename2_in>() : request.Behind<fuse_rename_in>();
  const std::string from = PathIn(request.header->nodeid, name);
  const std::string to = PathIn(to_folder, name + std::strlen(name) + 1);
  const std::lock_guard lock(mutex_);
  if (rename(from.c_str(), to.c_str()) != 0) return -errno;
  if (const auto moved = node_of_path_.extract(from)) {
    path_of_node_[moved.mapped()] = to;
    node_of_path_[to] = moved.mapped();
  } else {
    node_of_path_.erase(to);
  }
  return 0;
}

int SlowDisk::Remove(const Request& request) {
  const std::string path = PathIn(request.header->nodeid, request.body);
  const std::lock_guard lock(mutex_);
  if (remove(path.c_str()) != 0) return -errno;
  node_of_path_.erase(path);
  return 0;
}

int SlowDisk::ReadFolder(const Request& request, Reply& reply) {
  const auto& asked = request.As<fuse_read_in>();
  std::vector<std::string> names = {".", ".."};
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(PathOf(request.header->nodeid), error))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  const size_t header_bytes = reply.bytes.size();
  for (uint64_t at = asked.offset; at < names.size(); ++at) {
    fuse_dirent entry{};
    entry.ino = UINT64_MAX;  // unknown
    entry.off = at + 1;
    entry.namelen = static_cast<uint32_t>(names[at].size());
    entry.type = DT_UNKNOWN;
    const size_t bytes = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + names[at].size());
    if (reply.bytes.size() - header_bytes + bytes > asked.size) break;
    const size_t end = reply.bytes.size() + bytes;
    reply.bytes.append(reinterpret_cast<const char*>(&entry), FUSE_NAME_OFFSET);
    reply.bytes += names[at];
    reply.bytes.resize(end);
  }
  return 0;
}

int SlowDisk::TellEntry(const std::string& path, Reply& reply) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return -errno;
  fuse_entry_out told{};
  told.nodeid = NodeOf(path);
  told.generation = 1;
  told.attr = AttributesOf(status, told.nodeid);
  reply.Add(told);
  return 0;
}

int SlowDisk::TellAttributes(const std::string& path, Reply& reply) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return -errno;
  fuse_attr_out told{};
  told.attr = AttributesOf(status, NodeOf(path));
  reply.Add(told);
  return 0;
}

std::string SlowDisk::PathOf(uint64_t node) {
  const std::lock_guard lock(mutex_);
  return node == kRootNode ? files_ : path_of_node_[node];
}

std::string SlowDisk::PathIn(uint64_t folder, const std::string& name) {
  return absl::StrCat(PathOf(folder), "/", name);
}

uint64_t SlowDisk::NodeOf(const std::string& path) {
  if (path == files_) return kRootNode;
  const std::lock_guard lock(mutex_);
  const auto [node, is_new] = node_of_path_.try_emplace(path, last_node_ + 1);
  if (is_new) path_of_node_[++last_node_] = path;
  return node->second;
}

}  // namespace gordian::testing
