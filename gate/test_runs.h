// SPDX-License-Identifier: Apache-2.0
// Runs of a program that never was, to learn how often the gate is wrong: its throughput wanders,
// for a while and from run to run.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gate/samples.h"

namespace gordian::testing {

struct RunModel {
  const char* name = "";
  double events = 10000;       // of progress, in a recording
  double wander = 0;           // standard deviation of the rate while it runs
  double wander_share = 0.01;  // of the recording: how long it stays so
  double run_to_run = 0;       // standard deviation of the rate from one run to the next
};

// What was tried: steady programs, and such that wander for ever longer.
std::span<const RunModel> RunModels();

// The throughput of one run, cut into parts as the gate cuts recordings. `change`: -0.1 is a tenth
// less.
Sample RunOnce(const RunModel& model, double change, std::mt19937_64& random);

struct Rates {
  double holds = 0;
  double holds_not = 0;
  double undecided = 0;
};

// The answers to "throughput < -5 %" (5 % false alarms) of `trials` pairs of sides, with so many
// recordings each.
Rates AnswersOf(const RunModel& model, double change, size_t recordings, int trials, uint64_t seed);

}  // namespace gordian::testing
