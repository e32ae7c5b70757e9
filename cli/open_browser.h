// SPDX-License-Identifier: Apache-2.0
// Shows an address in this user's browser.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace gordian {

// Whether there is a desktop here, and a program that opens addresses on it (xdg-open).
bool HasDesktop();

// The address goes through a file that only this user can read: a command line can be read by
// everybody. The file is there as long as this object.
class OpenedBrowser {
 public:
  static absl::StatusOr<std::unique_ptr<OpenedBrowser>> Open(const std::string& address);
  ~OpenedBrowser();
  OpenedBrowser(const OpenedBrowser&) = delete;
  OpenedBrowser& operator=(const OpenedBrowser&) = delete;

 private:
  explicit OpenedBrowser(std::string folder) : folder_(std::move(folder)) {}
  const std::string folder_;
};

}  // namespace gordian
