// SPDX-License-Identifier: Apache-2.0
#include "cli/top/bars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gordian {
namespace {

constexpr std::array<std::string_view, 8> kEighthsWide = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr std::array<std::string_view, 8> kEighthsHigh = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kAsciiHigh = {"_", ".", "-", "=", "+", "*", "#", "@"};

struct StateSigns {
  std::string_view run;
  std::string_view ready;
  std::string_view wait;
};

StateSigns SignsOf(Charset charset) {
  if (charset == Charset::kAscii) return {.run = "#", .ready = "=", .wait = "."};
  return {.run = "█", .ready = "▒", .wait = "░"};
}

std::string Repeat(std::string_view sign, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += sign;
  return text;
}

// NaN counts as nothing.
double Bounded(double share) { return share > 0 ? std::min(share, 1.0) : 0.0; }

}  // namespace

void PutBar(double share, size_t columns, ScreenLine& line) {
  const double filled = Bounded(share) * static_cast<double>(columns);
  std::string bar;
  if (line.charset() == Charset::kAscii) {
    bar = Repeat("#", static_cast<size_t>(std::lround(filled)));
  } else {
    const auto eighths = static_cast<size_t>(std::lround(filled * 8));
    bar = Repeat("█", eighths / 8) + std::string(kEighthsWide[eighths % 8]);
  }
  line.PutLeft(bar, columns, Look::kMain);
}

void PutStates(const StateShares& shares, size_t columns, ScreenLine& line) {
  const StateSigns signs = SignsOf(line.charset());
  double sum = 0;
  size_t done = 0;
  const auto put = [&](double share, std::string_view sign, Look look) {
    sum = Bounded(sum + Bounded(share));
    const auto until = static_cast<size_t>(std::lround(sum * static_cast<double>(columns)));
    line.Put(Repeat(sign, until - done), look);
    done = until;
  };
  put(shares.run, signs.run, Look::kMain);
  put(shares.ready, signs.ready, Look::kSecond);
  put(shares.wait, signs.wait, Look::kFaint);
  line.Skip(columns - done);
}

void PutStatesLegend(ScreenLine& line) {
  const StateSigns signs = SignsOf(line.charset());
  line.Put(signs.run, Look::kMain).Put(" runs  ", Look::kFaint);
  line.Put(signs.ready, Look::kSecond).Put(" ready  ", Look::kFaint);
  line.Put(signs.wait, Look::kFaint).Put(" waits", Look::kFaint);
}

std::string HeightSign(double share, Charset charset) {
  const double height = Bounded(share);
  if (height == 0) return " ";
  const auto eighth = static_cast<size_t>(std::ceil(height * 8)) - 1;
  return std::string(charset == Charset::kAscii ? kAsciiHigh[eighth] : kEighthsHigh[eighth]);
}

}  // namespace gordian
