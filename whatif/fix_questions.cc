// SPDX-License-Identifier: Apache-2.0
#include "whatif/fix_questions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "analyzer/findings/evidence/fix_change.h"
#include "analyzer/graph/graph.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Half, a tenth; other factors in numbers.
std::string PartWords(double factor) {
  if (factor == 0.5) return "half";
  if (factor == 0.1) return "a tenth";
  return absl::StrCat(factor, " times");
}

std::string TimesWords(double times) {
  return times == 2 ? "twice" : absl::StrCat(times, " times");
}

class Questioner {
 public:
  explicit Questioner(const pb::Report& report) : report_(report), names_(report) {}

  FixQuestions Ask(const pb::Finding& finding) {
    FixQuestions found{.none_because = finding.no_natural_fix_because()};
    is_of_program_ = finding.has_let_through();
    std::string unnamed;
    for (const pb::NaturalFix& fix : finding.natural_fixes()) {
      const std::optional<FixChange> change = FixChangeOf(fix.change());
      if (!change) continue;  // of a later version
      if (std::optional<std::string> value = Value(*change, fix, unnamed)) {
        found.questions.push_back(Question(*change, fix, *value));
      } else if (found.questions.empty()) {
        break;  // it is the main fix: the next ones gain less without it
      }
    }
    if (found.questions.empty() && found.none_because.empty() && !unnamed.empty())
      found.none_because = absl::StrCat("gordian whatif cannot be told of ", unnamed, " by name");
    return found;
  }

 private:
  FixQuestion Question(FixChange change, const pb::NaturalFix& fix,
                       const std::string& value) const {
    FixQuestion question{
        .change = absl::StrCat("--", FixChangeName(change), " ", ShellQuoted(value)),
        .condition = Condition(change, fix),
        .advice = fix.advice(),
        .of_wait = fix.of_wait()};
    question.request.changes.push_back({std::string(FixChangeName(change)), value});
    if (fix.if_woken_for_nothing()) question.if_woken_for_nothing = fix.who();
    return question;
  }

  // As an argument of whatif: server->disk vda, pool=0.1, 4. Nothing if a vertex has no name of its
  // own.
  std::optional<std::string> Value(FixChange change, const pb::NaturalFix& fix,
                                   std::string& unnamed) const {
    std::string value;
    if (fix.has_who()) value = Told(fix.who(), unnamed);
    if (fix.has_who() && value.empty()) return std::nullopt;
    switch (change) {
      case FixChange::kAsync:
      case FixChange::kSkip:
      case FixChange::kLock:
      case FixChange::kBatch: {
        // Processes that are started one after the other are several vertices of one name.
        const bool are_several = change == FixChange::kSkip && AlikeOf(fix.whom()) > 1;
        const std::string whom =
            are_several ? names_.Find(fix.whom())->name() : Told(fix.whom(), unnamed);
        if (whom.empty()) return std::nullopt;
        if (IsOfAlike(change, fix)) {
          const std::string& name = names_.Find(fix.who())->name();
          return absl::StrCat(name, "->", name);
        }
        return absl::StrCat(value, "->", whom);
      }
      case FixChange::kNoFalseWakeups:
        return value;
      case FixChange::kScale:
      case FixChange::kTimer:
      case FixChange::kRun:
      case FixChange::kClients:
      case FixChange::kQuota:
        return absl::StrCat(value, "=", fix.amount());
      case FixChange::kFunction: {
        const std::string spins_in = WhereItSpins(fix.who());
        if (spins_in.empty()) return std::nullopt;
        return absl::StrCat(spins_in, "=", fix.amount());
      }
      case FixChange::kInFlight:
        return absl::StrCat(AlikeInFlight(fix.who()) == 1 ? value : names_.Find(fix.who())->name(),
                            "=", fix.amount());
      case FixChange::kAddThread: {
        const size_t alike = AlikeOf(fix.who());
        if (alike == 1) return absl::StrCat(value, "=", fix.amount());
        return absl::StrCat(names_.Find(fix.who())->name(), "=",
                            fix.amount() * static_cast<double>(alike));
      }
      case FixChange::kCpus:
        break;
    }
    return absl::StrCat(fix.node(), fix.node().empty() ? "" : "=", fix.amount());
  }

  // How many vertices are called like this one, if that name means just vertices that `are_alike`.
  template <typename AreAlike>
  size_t CountAlike(uint32_t vertex, AreAlike are_alike) const {
    const pb::ReportVertex& its = *names_.Find(vertex);
    const bool divides = its.name().find("->") != std::string::npos || its.name().empty() ||
                         its.name().front() == '-';
    const std::vector<std::vector<uint32_t>> meanings = names_.Meanings(its.name());
    if (divides || meanings.empty()) return 1;
    const std::vector<uint32_t>& called = meanings.front();
    const bool all_alike = std::all_of(called.begin(), called.end(), [&](uint32_t other) {
      const pb::ReportVertex& it = *names_.Find(other);
      return it.name() == its.name() && it.target() == its.target() && are_alike(it, its);
    });
    const bool is_one = std::find(called.begin(), called.end(), vertex) != called.end();
    return all_alike && is_one ? called.size() : 1;
  }

  // Workers of a program, each a process. Who sets how many threads they have sets it for all of
  // them.
  size_t AlikeOf(uint32_t vertex) const {
    return CountAlike(vertex, [](const pb::ReportVertex& one, const pb::ReportVertex& other) {
      return one.kind() == other.kind();
    });
  }

  // What a program lets through is a limit of the program: all its threads of that name share it,
  // alone or in groups.
  size_t AlikeInFlight(uint32_t vertex) const {
    if (!is_of_program_) return 1;
    return CountAlike(vertex, [](const pb::ReportVertex& one, const pb::ReportVertex& other) {
      return IsThreadKind(one.kind()) && IsThreadKind(other.kind());
    });
  }

  // A lock that all threads of a program's name meet at, alone or in groups.
  bool IsOfAlike(FixChange change, const pb::NaturalFix& fix) const {
    return change == FixChange::kLock && fix.who() == fix.whom() && AlikeInFlight(fix.who()) > 1;
  }

  std::string NameOfAlike(uint32_t vertex, size_t alike) const {
    if (alike == 1) return names_.Name(vertex);
    return absl::StrCat(CleanText(names_.Find(vertex)->name()), " (", alike, " of that name)");
  }

  // The fix's vertex by its name in the report, else by its tid. Empty if neither means that
  // vertex.
  std::string Told(uint32_t vertex, std::string& unnamed) const {
    const pb::ReportVertex* found = names_.Find(vertex);
    if (found == nullptr) return "";
    std::vector<std::string> choices = {names_.Name(vertex)};
    if (IsDisk(vertex)) choices.insert(choices.begin(), "disk " + choices.front());
    if (found->tid() != 0) choices.push_back(absl::StrCat(found->tid()));
    for (const std::string& choice : choices) {
      const bool divides = choice.find("->") != std::string::npos || choice.empty() ||
                           choice.front() == ' ' || choice.back() == ' ' || choice.front() == '-';
      const std::vector<std::vector<uint32_t>> meanings = names_.Meanings(choice);
      if (!divides && !meanings.empty() && meanings.front() == std::vector{vertex}) return choice;
    }
    unnamed = names_.Name(vertex);
    return "";
  }

  bool IsOfKind(uint32_t vertex, VertexKind kind) const {
    const pb::ReportVertex* found = names_.Find(vertex);
    return found != nullptr && found->kind() == VertexKindName(kind);
  }
  bool IsDisk(uint32_t vertex) const { return IsOfKind(vertex, VertexKind::kDisk); }

  // The function that takes most of the time in which a vertex likely spins.
  std::string WhereItSpins(uint32_t vertex) const {
    const pb::Suggestion* most = nullptr;
    for (const pb::Suggestion& suggestion : report_.suggestions()) {
      if (suggestion.kind() != "spin" || suggestion.sure() != "likely" ||
          suggestion.vertex() != vertex)
        continue;
      if (most == nullptr || suggestion.seconds() > most->seconds()) most = &suggestion;
    }
    return most == nullptr ? "" : most->function();
  }

  std::string IfItDidNotWait(const std::string& who, uint32_t vertex) const {
    if (IsDisk(vertex))
      return absl::StrCat("if ", who, " went on while ", names_.Phrase(vertex), " works");
    if (IsOfKind(vertex, VertexKind::kHeldBack))
      return absl::StrCat("if ", who, " did not wait for ", names_.Name(vertex),
                          " (TCP_NODELAY, or each message at once)");
    return absl::StrCat("if ", who, " did not wait for ", names_.Name(vertex),
                        " (a queue between)");
  }

  std::string MoreThreadsLike(const pb::NaturalFix& fix) const {
    const size_t alike = AlikeOf(fix.who());
    const auto threads = static_cast<uint64_t>(fix.amount()) * alike;
    return absl::StrCat("with ", FormatCount(threads, "thread"), " more like ",
                        NameOfAlike(fix.who(), alike));
  }

  std::string Condition(FixChange change, const pb::NaturalFix& fix) const {
    const std::string& who = names_.Name(fix.who());
    const std::string& disk = names_.Phrase(fix.who());
    switch (change) {
      case FixChange::kAsync:
        return IfItDidNotWait(who, fix.whom());
      case FixChange::kSkip:
        if (!IsDisk(fix.whom()))
          return absl::StrCat("if ", who, " started no ",
                              CleanText(names_.Find(fix.whom())->name()));
        return absl::StrCat("if ", who, " did not even ask ", names_.Phrase(fix.whom()),
                            " (no syncs, or one for many)");
      case FixChange::kLock:
        return absl::StrCat(
            "if no ",
            IsOfAlike(change, fix) ? NameOfAlike(fix.who(), AlikeInFlight(fix.who())) : who,
            " ever found that lock taken");
      case FixChange::kBatch:
        return absl::StrCat("if one ", who, " worked for all that wait (group commit)");
      case FixChange::kNoFalseWakeups:
        return absl::StrCat("if ", who, " were never woken for nothing");
      case FixChange::kScale:
        return fix.amount() == 0
                   ? absl::StrCat("if ", disk, " took no time (no syncs, another disk)")
                   : absl::StrCat("if ", disk, " took ", PartWords(fix.amount()),
                                  " the time for its requests");
      case FixChange::kTimer:
        return absl::StrCat("if ", who, " slept ", PartWords(fix.amount()), " as long");
      case FixChange::kRun:
        return absl::StrCat("if ", who, "'s work took ", PartWords(fix.amount()), " the time");
      case FixChange::kFunction:
        return absl::StrCat("if ", who, " did not spin in ", WhereItSpins(fix.who()));
      case FixChange::kAddThread:
        return MoreThreadsLike(fix);
      case FixChange::kInFlight:
        return absl::StrCat("with ", TimesWords(fix.amount()), " as many requests of ",
                            NameOfAlike(fix.who(), AlikeInFlight(fix.who())), " under way");
      case FixChange::kClients:
        return absl::StrCat("with ", TimesWords(fix.amount()), " as many of ", who);
      case FixChange::kQuota:
        return absl::StrCat("with a CPU quota of ", fix.amount(), " for the cgroup of ", who);
      case FixChange::kCpus:
        break;
    }
    return absl::StrCat("with ", fix.amount(), " CPUs", fix.node().empty() ? "" : " on ",
                        CleanText(fix.node()));
  }

  const pb::Report& report_;
  const VertexNames names_;
  bool is_of_program_ = false;
};

}  // namespace

std::string ShellQuoted(const std::string& text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/' || c == '=' || c == ':' || c == '+' || c == ',' ||
           c == '@' || c == '%';
  });
  if (is_plain) return text;
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

FixQuestions QuestionsOf(const pb::Report& report, const pb::Finding& finding) {
  return Questioner(report).Ask(finding);
}

}  // namespace gordian
