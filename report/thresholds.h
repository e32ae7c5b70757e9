// SPDX-License-Identifier: Apache-2.0
// Which parts of a report are worth telling (base/threshold.h says how to read and move them).
#pragma once

#include "base/threshold.h"

namespace gordian {

// Share of an edge's waits, or of the CPUs' time. A smaller share is not worth a word: as one
// reason of several, or as one user of the CPUs.
GORDIAN_THRESHOLD(double, kWorthAWord, 0.01);

// Share of an edge's waits, or of a phase's time. Smaller shares are left out of sentences.
// Breaks when moved by 30 %: AreSaidWithTheirHeaviestObjects.
GORDIAN_THRESHOLD(double, kWorthASentence, 0.1);

// Nanoseconds. Interpreters take 5 to 40 ms to begin. Who takes longer each time does more than
// that, and starting it less often saves little.
GORDIAN_THRESHOLD(double, kLittleMoreThanToBeginNs, 50e6);

// Times its longest run that a program runs alone. In fewer runs than that their starts are too
// little of the job to be worth a change.
GORDIAN_THRESHOLD(double, kManyStarts, 10);

// Share of a capacity. A full resource's samples are less than all of it by so much, as ticks and
// counters are read one after the other.
GORDIAN_THRESHOLD(double, kFullResource, 0.95);

// Share of a thread's samples on a CPU. A sink names the places it runs in; below, they are many,
// and no single one is the limit.
GORDIAN_THRESHOLD(double, kWorthNamingAsPlace, 0.05);

// Share of an edge's waits. A thing that most of the waits are for stands for the whole edge.
// Breaks when moved by 30 %: AStoryNamesTheFileOfItsCallOnlyIfItIsMostOfTheEdge.
GORDIAN_THRESHOLD(double, kMostOfAnEdge, 0.5);

// Seconds, with a sample each. Of a few samples one is always the highest: that a rate stays there
// says nothing.
GORDIAN_THRESHOLD(double, kSecondsOfARate, 5);

// Share of the recording. Two recordings of one program differ by so much from chance: then the
// limit "is the same", and not smaller or larger.
GORDIAN_THRESHOLD(double, kSameShare, 0.02);

// Share of the recording. A suggestion that could change less is kept out of the text.
GORDIAN_THRESHOLD(double, kSuggestionMatters, 0.01);

// Share of a finding's trust that is left if threads are said to lack CPUs that were free, and that
// they do run on: a guess. With 1, threads that yield at a barrier would be told to get no CPU.
GORDIAN_THRESHOLD(double, kTrustBesideFreeCpus, 0.3);

// Share of all CPUs' time. A program that used less had no work that could be limited.
GORDIAN_THRESHOLD(double, kIdleCpuShare, 0.05);

// Seconds. A recording of less may miss what happens once a second; a longer one is advised where
// nothing was found.
GORDIAN_THRESHOLD(double, kShortRecordingSeconds, 2);

// Share of a thread's life. If less of it is unknown, no doubt rests on that.
GORDIAN_THRESHOLD(double, kUnknownWorthTelling, 0.01);

// Share of the largest loss. Another one so near may come first in the next recording.
GORDIAN_THRESHOLD(double, kNearlyAsMuch, 0.8);

// Share of the trust that goes with another loss so near, or with a job whose end was not seen.
GORDIAN_THRESHOLD(double, kDoubtOfAPath, 0.15);

// Share of the trust that is left where the report is about other threads than the reader asked
// for. With all of it the reader would take strangers' limit for that of the program.
GORDIAN_THRESHOLD(double, kTrustWithoutTheTarget, 0.3);

}  // namespace gordian
