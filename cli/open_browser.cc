// SPDX-License-Identifier: Apache-2.0
#include "cli/open_browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr char kOpener[] = "xdg-open";

bool IsSet(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool IsOnPath(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access(absl::StrCat(folder, "/", program).c_str(), X_OK) == 0) return true;
  return false;
}

std::string PlaceForFolder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code error;
  if (runtime != nullptr && std::filesystem::is_directory(runtime, error)) return runtime;
  const char* const temporary = std::getenv("TMPDIR");
  return temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
}

// Without our signals, and silent: it says much that is of no use here.
absl::Status Spawn(const std::string& file) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0);
  std::string program = kOpener;
  std::string argument = file;
  char* words[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, kOpener, &actions, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return absl::ErrnoToStatus(error, "cannot start xdg-open");
  return absl::OkStatus();
}

}  // namespace

bool HasDesktop() { return (IsSet("DISPLAY") || IsSet("WAYLAND_DISPLAY")) && IsOnPath(kOpener); }

absl::StatusOr<std::unique_ptr<OpenedBrowser>> OpenedBrowser::Open(const std::string& address) {
  std::string folder = PlaceForFolder() + "/gordian-serve-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a folder (", folder, ")"));
  std::unique_ptr<OpenedBrowser> opened(new OpenedBrowser(folder));
  const std::string file = folder + "/open.html";
  std::ofstream page(file);
  page << "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url="
       << address << "\"><title>Gordian</title><p><a href=\"" << address << "\">Open Gordian</a>\n";
  if (!page.flush()) return absl::UnavailableError(absl::StrCat("cannot write ", file));
  if (auto status = Spawn(file); !status.ok()) return status;
  return opened;
}

OpenedBrowser::~OpenedBrowser() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

}  // namespace gordian
