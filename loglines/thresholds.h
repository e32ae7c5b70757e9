// SPDX-License-Identifier: Apache-2.0
// The numbers that shape who is said to have written a line (base/threshold.h says how to read and
// move these).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of a file's lines at whose time the process that wrote them was on a CPU. Below 1, as
// stamps are taken before a line is handed on; with 1, one late line would rule its writer out.
GORDIAN_THRESHOLD(double, kWriterRan, 0.95);

// Share of the lines whose beginning, or file, has a process' or thread's name and that this one
// wrote. The others name whom they talk about.
GORDIAN_THRESHOLD(double, kNameIsTheProcess, 0.9);

// Share of the lines with a thread's number at their beginning that this thread wrote. With 1 a
// thread that slept all the time would be sure to have written a line about it.
GORDIAN_THRESHOLD(double, kNumberIsTheWriter, 0.98);

// Share of the places with numbers, at the beginnings of lines, that tell threads or processes,
// before anything is known of them. With a half, one small number that happens to be a thread's
// would decide.
GORDIAN_THRESHOLD(double, kPlaceIsOfThreads, 0.1);

// The likelihood of a thread that was not on a CPU in the stamp's time, but near to it (clocks that
// programs keep are late), and of one that was not even that. With 0 a wrong clock would leave no
// writer at all.
GORDIAN_THRESHOLD(double, kRanNearby, 1e-4);
GORDIAN_THRESHOLD(double, kDidNotRun, 1e-6);
// A tick of the slowest kernels: programs that ask for a coarse time get that of the last tick. A
// line's write call comes no later behind its stamp than that, either.
GORDIAN_THRESHOLD(uint64_t, kClockSlipNs, 10'000'000);

// The likelihood of a thread without a write call in the stamp's time, where such calls were
// recorded. Not 0: another thread may write for it.
GORDIAN_THRESHOLD(double, kWithoutItsWriteCall, 1e-3);

// The most that the times of a file's lines say for or against a process, as a logarithm (a
// million to one). Without a bound two processes that always run together would be told apart by
// the noise of 64 lines.
GORDIAN_THRESHOLD(double, kMostFileSign, 13.8);

// Other times of the recording that are looked at for each line to tell what happens by chance.
GORDIAN_THRESHOLD(size_t, kChanceLooks, 4);

}  // namespace gordian
