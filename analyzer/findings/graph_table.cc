// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/graph_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace gordian {
namespace {

using Words = std::vector<std::string>;

double Number(const std::string& text) {
  const double number = std::strtod(text.c_str(), nullptr);
  return absl::EndsWith(text, "%") ? number / 100 : number;
}

// worker-1..3 stands for worker-1, worker-2, worker-3.
Words Expand(const std::string& name) {
  const size_t dots = name.find("..");
  if (dots == std::string::npos) return {name};
  const size_t first_digit = name.find_last_not_of("0123456789", dots - 1) + 1;
  Words names;
  const int last = std::atoi(name.c_str() + dots + 2);
  for (int i = std::atoi(name.c_str() + first_digit); i <= last; ++i) {
    names.push_back(absl::StrCat(name.substr(0, first_digit), i));
  }
  return names;
}

class Reader {
 public:
  GraphTable Read(const std::string& path) {
    std::ifstream file(path);
    if (!file) table_.error = path + " cannot be read";
    table_.options.recording.set_complete(true);
    table_.graph.cpus = 4;
    table_.graph.end_ns = 10'000'000'000;
    table_.graph.events = 1'000'000;
    std::string line;
    while (table_.error.empty() && std::getline(file, line)) {
      Words words = absl::StrSplit(line.substr(0, line.find('#')), ' ', absl::SkipEmpty());
      if (!words.empty() && !Line(words)) table_.error = absl::StrCat(path, ": ", line);
    }
    FillWaits();
    std::sort(table_.graph.edges.begin(), table_.graph.edges.end(),
              [](const Edge& a, const Edge& b) {
                return a.from != b.from ? a.from < b.from : a.to < b.to;
              });
    return std::move(table_);
  }

 private:
  uint64_t Time(const std::string& share) const {
    return static_cast<uint64_t>(std::llround(Number(share) * 10'000'000'000));
  }

  bool Line(const Words& words) {
    static const std::map<std::string, EntityKind> kKinds = {
        {"thread", EntityKind::kThread},  {"disk", EntityKind::kDisk},
        {"nic", EntityKind::kNic},        {"timer", EntityKind::kTimer},
        {"irq", EntityKind::kIrq},        {"remote", EntityKind::kRemote},
        {"link", EntityKind::kLink},      {"held_back", EntityKind::kHeldBack},
        {"unknown", EntityKind::kUnknown}};
    const auto kind = kKinds.find(words[0]);
    if (words.size() >= 2 && kind != kKinds.end()) return EntityLine(kind->second, words);
    if (words.size() >= 4 && words[1] == "->") return EdgeLine(words);
    if (words.size() >= 3 && words[1] == "asks") return QuestionLine(words);
    if (words[0] == "recording" || words[0] == "option") return OptionLine(words);
    return ExpectationLine(words);
  }

  bool EntityLine(EntityKind kind, const Words& words) {
    for (const std::string& name : Expand(words[1])) {
      Entity entity;
      entity.kind = kind;
      entity.name = name;
      entity.end_ns = 10'000'000'000;
      if (kind == EntityKind::kThread) {
        entity.tid = next_tid_++;
        entity.process_name = "app";
        entity.tgid = 100;
      }
      for (size_t i = 2; i < words.size(); ++i) {
        const std::string value = i + 1 < words.size() ? words[i + 1] : "";
        if (words[i] == "target") {
          entity.target = true;
        } else if (words[i] == "kernel") {
          entity.kernel_thread = true;
          entity.tgid = entity.tid;
        } else if (words[i] == "recorder") {
          entity.recorder = true;
        } else if (words[i] == "of") {
          entity.process_name = value;
          entity.tgid = 10 * (1 + (processes_.try_emplace(value, processes_.size())).first->second);
          ++i;
        } else if (uint64_t* time_ns = TimeOf(words[i], entity)) {
          *time_ns = Time(value);
          ++i;
        } else {
          return false;
        }
      }
      entities_[name] = static_cast<EntityId>(table_.graph.entities.size());
      table_.graph.entities.push_back(entity);
    }
    return true;
  }

  static uint64_t* TimeOf(const std::string& word, Entity& entity) {
    if (word == "run") return &entity.run_ns;
    if (word == "ready") return &entity.runnable_ns;
    if (word == "spin") return &entity.spin_ns;
    if (word == "lost") return &entity.unknown_ns;
    if (word == "busy") return &entity.busy_ns;
    if (word == "several") return &entity.several_ns;
    return nullptr;
  }

  // FROM -> TO WEIGHT [own OWN] [times N]
  bool EdgeLine(const Words& words) {
    Edge edge;
    edge.weight_ns = edge.own_ns = Time(words[3]);
    edge.count = 1000;
    for (size_t i = 4; i + 1 < words.size(); i += 2) {
      if (words[i] == "own") {
        edge.own_ns = Time(words[i + 1]);
      } else if (words[i] == "times") {
        edge.count = static_cast<uint64_t>(Number(words[i + 1]));
      } else {
        return false;
      }
    }
    edge.longest_ns = edge.own_ns / std::max<uint64_t>(1, edge.count) * 2;
    for (const std::string& from : Expand(words[0])) {
      for (const std::string& to : Expand(words[2])) {
        if (from == to) continue;
        if (entities_.count(from) == 0 || entities_.count(to) == 0) return false;
        edge.from = entities_[from];
        edge.to = entities_[to];
        table_.graph.edges.push_back(edge);
      }
    }
    return true;
  }

  // ASKER asks ANSWERER [times N]
  bool QuestionLine(const Words& words) {
    const bool is_counted = words.size() == 5 && words[3] == "times";
    if (words.size() != 3 && !is_counted) return false;
    for (const std::string& asker : Expand(words[0])) {
      for (const std::string& answerer : Expand(words[2])) {
        if (entities_.count(asker) == 0 || entities_.count(answerer) == 0) return false;
        const uint64_t count = is_counted ? static_cast<uint64_t>(Number(words[4])) : 1000;
        table_.graph.questions.push_back({entities_[asker], entities_[answerer], count});
      }
    }
    return true;
  }

  bool OptionLine(const Words& words) {
    const std::string value = words.size() > 2 ? words[2] : "";
    const std::map<std::string, std::function<void()>> actions = {
        {"cpus", [&] { table_.graph.cpus = static_cast<uint32_t>(Number(value)); }},
        {"lost", [&] { table_.graph.lost = static_cast<uint64_t>(Number(value)); }},
        {"cycles", [&] { table_.graph.cyclic_links = static_cast<uint64_t>(Number(value)); }},
        {"incomplete", [&] { table_.options.recording.set_complete(false); }},
        {"target-only", [&] { table_.options.recording.set_chains_end_at_targets(true); }},
        {"threshold", [&] { table_.options.threshold = Number(value); }},
        {"max-vertices",
         [&] { table_.options.max_vertices = static_cast<uint32_t>(Number(value)); }},
        {"keep-background", [&] { table_.options.keep_background = true; }},
        {"explain", [&] { table_.options.explain = true; }},
        {"no-merge", [&] { table_.merging.merge_similar = false; }},
        {"comm", [&] { table_.options.target_comms.push_back(value); }},
        {"group", [&] { table_.merging.groups.push_back(ParseGroupRule(value).value()); }},
    };
    const auto action = words.size() > 1 ? actions.find(words[1]) : actions.end();
    if (action == actions.end()) return false;
    action->second();
    return true;
  }

  bool ExpectationLine(const Words& words) {
    const Words rest(words.begin() + 1, words.end());
    const std::string text = absl::StrJoin(rest, " ");
    if (words[0] == "finding" && !rest.empty()) {
      ExpectedFinding& finding = table_.findings.emplace_back();
      finding.kind = rest[0];
      finding.members.assign(rest.begin() + 1, rest.end());
    } else if (words[0] == "scope") {
      table_.scope = rest;
    } else if (words[0] == "chosen-by") {
      table_.chosen_by = text;
    } else if (words[0] == "verdict") {
      table_.verdict_has.push_back(text);
    } else if (words[0] == "explains") {
      table_.explain_has.push_back(text);
    } else {
      return !table_.findings.empty() && FindingLine(words[0], rest, text);
    }
    return true;
  }

  bool FindingLine(const std::string& key, const Words& rest, const std::string& text) {
    ExpectedFinding& finding = table_.findings.back();
    if (key == "rules-out") {
      finding.ruled_out = rest;
      finding.rules_out_given = true;
    } else if (key == "outside") {
      finding.outside = rest;
    } else if (key == "attack" && rest.size() == 3) {
      finding.attack = {rest[0], rest[2]};
    } else if (key == "gain") {
      finding.gain = Number(text);
    } else if (key == "share") {
      finding.share = Number(text);
    } else if (key == "title") {
      finding.title_has.push_back(text);
    } else if (key == "says") {
      finding.text_has.push_back(text);
    } else if (key == "confidence" && rest.size() == 2) {
      (rest[0] == "below" ? finding.confidence_below : finding.confidence_above) = Number(rest[1]);
    } else if (key == "apart") {
      finding.apart = true;
    } else {
      return false;
    }
    return true;
  }

  // In the rest of its life a thread waited.
  void FillWaits() {
    for (Entity& entity : table_.graph.entities) {
      const uint64_t known_ns =
          entity.run_ns + entity.runnable_ns + entity.spin_ns + entity.unknown_ns;
      if (entity.kind == EntityKind::kThread) entity.wait_ns = entity.end_ns - known_ns;
    }
  }

  GraphTable table_;
  std::map<std::string, EntityId> entities_;
  std::map<std::string, int32_t> processes_;
  int32_t next_tid_ = 1001;
};

}  // namespace

GraphTable ReadGraphTable(const std::string& path) { return Reader().Read(path); }

absl::StatusOr<pb::Report> MergeAndJudge(WaitForGraph graph, const GraphOptions& merging,
                                         const FindingOptions& options) {
  if (absl::Status status = MarkNamedTargets(options, graph); !status.ok()) return status;
  const absl::StatusOr<MergedGraph> merged = BuildGraph(graph, merging);
  if (!merged.ok()) return merged.status();
  return Judge(graph, *merged, options);
}

}  // namespace gordian
