// SPDX-License-Identifier: Apache-2.0
// Shares as bars. In ASCII the same with other signs.
#pragma once

#include <cstddef>
#include <string>

#include "cli/top/screen_page.h"

namespace gordian {

// In exactly so many columns; shares beyond 1 are full.
void PutBar(double share, size_t columns, ScreenLine& line);

// What threads did with their time: running, ready to run, waiting. The rest is unknown, and blank.
struct StateShares {
  double run = 0;
  double ready = 0;
  double wait = 0;
};
void PutStates(const StateShares& shares, size_t columns, ScreenLine& line);
// The signs of such a bar: "█ runs  ▒ ready  ░ waits".
void PutStatesLegend(ScreenLine& line);

// One column as high as the share; not blank for any share above 0.
std::string HeightSign(double share, Charset charset);

}  // namespace gordian
