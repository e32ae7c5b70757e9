// SPDX-License-Identifier: Apache-2.0
// Applies a model's rules to a line, once the matching rules and the values of their variables are
// known.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "jobs/logs/log_time.h"
#include "jobs/sources/line_template.h"
#include "jobs/sources/log_reader.h"

namespace gordian {

class RuleActions {
 public:
  RuleActions(const LogRules& rules, LogSinks& sinks);

  // The variables that every rule has, and where those of the reader may begin.
  const LineVariables& shared_variables() const { return shared_; }
  size_t first_free_slot() const { return first_free_; }
  // Adds a rule; they are numbered in this order.
  void Add(const LogRule& rule, const LineVariables& variables);

  void StartFile(const std::string& name);
  // `line` must stay valid while the rules are applied.
  void StartLine(uint64_t number_in_file, std::string_view line);
  LineValues& values() { return values_; }
  const LineValues& values() const { return values_; }
  // False if the line lacks a part that the rule needs: see `fault`.
  bool Apply(size_t rule);

  // What the last line for which Apply failed lacks.
  struct Fault {
    size_t rule = 0;
    std::string_view part;               // of the rule: "time", "duration"
    const LineTemplate* text = nullptr;  // that part
    std::string_view expected;           // "a number", where there is something else
  };
  const Fault& fault() const { return fault_; }
  // "the model's line 12: duration '{ms}' is 'abc', no number". While the line is still there.
  std::string Describe(const Fault& fault);
  // The name of the variable that is not there; empty if the fault is another one.
  std::string_view MissingIn(const Fault& fault) const { return fault.text->Missing(values_); }

  // With the first lines as examples, behind `what`.
  void CountLine(std::string_view counter, std::string_view what = {});
  // With an example of each `fault`, a number of the caller's.
  void CountFault(std::string_view counter, uint64_t fault,
                  absl::FunctionRef<std::string()> describe);
  // Of `fault()`. `describe` may know more than Describe.
  void CountMalformed(absl::FunctionRef<std::string()> describe);

 private:
  struct Compiled {
    const LogRule* rule = nullptr;
    std::vector<LineTemplate> keys;
    LineTemplate path, resource, time, start_time, end_time, duration, value, capacity, instance,
        node, pid, tid;
  };
  bool Sample(const Compiled& rule);
  bool Say(const Compiled& rule, const PhaseMark& mark);
  bool FillMark(const Compiled& rule, PhaseMark& mark);
  bool FillPath(std::string_view path, PhaseMark& mark);
  bool FillNumber(std::string_view part, const LineTemplate& text, int32_t& number);
  bool FillAmount(std::string_view part, const LineTemplate& text, double& amount);
  bool FillTime(std::string_view part, const LineTemplate& text, uint64_t& time_ns);
  // False, and remembers the fault.
  bool Lacks(std::string_view part, const LineTemplate& text, std::string_view expected = {});
  bool FillInterval(const Compiled& rule, uint64_t& start_ns, uint64_t& end_ns);
  bool LineTime(const Compiled& rule, uint64_t& time_ns);

  LogSinks& sinks_;
  LogTimeParser time_parser_;
  bool monotonic_;
  std::unique_ptr<RE2> file_regex_;
  LineVariables shared_;
  size_t first_free_ = 0;
  std::vector<Compiled> rules_;

  LineValues values_;
  std::vector<std::string> file_groups_;
  std::string file_, line_number_text_;
  uint64_t number_in_file_ = 0;
  bool line_number_told_ = false;  // values_ has it
  Fault fault_;
  std::string_view line_;
  std::vector<std::string> key_scratch_;
  std::vector<std::string_view> keys_;
  std::string scratch_, node_scratch_, resource_scratch_, instance_scratch_;
  uint64_t last_time_ns_ = 0;  // of this file
  std::string read_text_;      // the time read last: several rules may read the same
  uint64_t read_ns_ = 0;
};

}  // namespace gordian
