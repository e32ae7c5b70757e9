// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, or SIGTERM, while a recording is analyzed: the first asks for an end with what there is,
// the second ends the program at once.
//
// A signal that was ignored before stays so (nohup, jobs in the background of a script). timeout(1)
// sends its signal twice: one that no terminal sends counts again only after a second.
#pragma once

#include <signal.h>

#include <vector>

namespace gordian {

// One at a time. Without it both signals end the program, as ever.
class StopRequest {
 public:
  enum class Signals { kBoth, kCtrlC };
  explicit StopRequest(Signals signals = Signals::kBoth);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool asked() const;
  // What is asked from now on is about something else.
  void Forget();

 private:
  struct Before {
    int signal = 0;
    struct sigaction action {};
  };
  std::vector<Before> before_;
};

}  // namespace gordian
