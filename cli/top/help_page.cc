// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "cli/top/bars.h"
#include "cli/top/vertex_page.h"

namespace gordian {
namespace {

struct KeyHelp {
  std::string_view keys;
  std::string_view what;
};

constexpr std::array<KeyHelp, 9> kKeys = {{
    {"up down, k j", "choose a wait or a vertex"},
    {"PgUp PgDn", "scroll a page that is longer than the screen"},
    {"Enter", "go into a vertex; from a wait into what it waits for"},
    {"Esc, Backspace", "go back"},
    {"f, Space", "freeze the screen, or show the newest frame again"},
    {"+ -", "a longer or a shorter window: 1, 2, 5, 10, 20, 30, 60 s"},
    {"s", "save the minute before the shown frame's end as a recording"},
    {"?", "this page"},
    {"q", "quit"},
}};

constexpr std::array<std::string_view, 10> kReading = {
    "The first lines tell what limits the target in the last seconds: for how long it has been so, "
    "for which share of the time, and how sure that is.",
    "SHARE is of the window, of one thread on average: 34 % is a third of its time.",
    "A row A -> B tells that A waits for B. The heaviest stands first: a wait counts more if "
    "others "
    "wait for who waits.",
    "PATHS is the share of the critical paths that lead through a vertex. All add up to 100 %.",
    "RUN, READY and WAIT are shares of a thread's time: on a CPU, ready for one, and waiting.",
    "CPUs and devices: how much of them is used.",
    "data: how far the frame is behind the clock, and what is lost, unknown, or not known yet. "
    "What may change the answer stands first, with a !.",
    "The strip has a column for each second of the last minute. Its height is the share that the "
    "limit took. The letter below tells which limit, and the line below the letter's meaning.",
    "A saved recording is a folder beside the place where you started: gordian analyze reads it.",
    "gordian(1) and gordian-top(1) tell more.",
};

}  // namespace

ScreenLines HelpLines(const ScreenSize& size) {
  ScreenLines lines;
  lines.emplace_back(size).Put("KEYS", Look::kStrong);
  for (const KeyHelp& key : kKeys)
    lines.emplace_back(size).Skip(2).PutLeft(key.keys, 16, Look::kStrong).Put(key.what);
  lines.emplace_back(size);
  ScreenLine& head = lines.emplace_back(size);
  head.Put("READING THE SCREEN  ", Look::kStrong);
  PutStatesLegend(head);
  for (const std::string_view text : kReading)
    for (const std::string& part :
         WrapColumns(text, size.columns - std::min<size_t>(size.columns, 2), 9, size.charset))
      lines.emplace_back(size).Skip(2).Put(part);
  return lines;
}

}  // namespace gordian
