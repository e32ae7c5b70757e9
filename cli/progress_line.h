// A line on the terminal for work that turns out to take long; silent for the first two seconds and
// in scripts.
#pragma once

#include <chrono>
#include <string>

namespace gordian {

class ProgressLine {
 public:
  explicit ProgressLine(std::string what);  // "analyzing trace"
  ~ProgressLine();                          // takes the line away
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Cheap enough for every block. `share` is what is done, of one.
  void Show(double share);

 private:
  std::string what_;
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace gordian
