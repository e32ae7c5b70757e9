// SPDX-License-Identifier: Apache-2.0
#include "loglines/told_writers.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "loglines/told_blame.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string_view SurenessWords(double how_sure) {
  if (how_sure >= 0.99) return "sure";
  if (how_sure >= 0.9) return "very likely";
  return how_sure >= 0.5 ? "likely" : "a guess";
}

}  // namespace

void TellWriter(const Timeline& timeline, const LineWriter& writer, bool is_told,
                pb::LineWriterGuess& told) {
  told.set_thread(WhoOf(timeline, writer.thread));
  told.set_how_sure(writer.how_sure);
  told.set_words(std::string(SurenessWords(writer.how_sure)));
  if (is_told) return told.add_signs("--thread tells it");
  if (writer.named) told.add_signs("the line has its number");
  if (writer.process_named) told.add_signs("the line has its process' number");
  if (writer.thread_by_name) told.add_signs("the line has its name");
  if (writer.process_by_name) told.add_signs("the line or the file has its process' name");
  if (writer.process_by_time)
    told.add_signs("its process ran at the times of the file's lines, more than at others");
  if (writer.wrote) return told.add_signs("it called write then");
  if (writer.runs == 0) {
    told.add_signs("it was on no CPU then, but no other thread fits better");
  } else if (writer.runs == 1) {
    told.add_signs("it was on a CPU then");
  } else {
    told.add_signs(absl::StrCat("it was on a CPU ", FormatCount(writer.runs),
                                " times in the time that the stamp covers"));
  }
}

}  // namespace gordian
