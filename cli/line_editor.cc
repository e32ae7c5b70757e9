// SPDX-License-Identifier: Apache-2.0
#include "cli/line_editor.h"

#include <histedit.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cli/terminal.h"

namespace gordian {
namespace {

constexpr int kMostRemembered = 1000;
constexpr size_t kMostShownCompletions = 100;

bool IsPartOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string CommonBeginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common.erase(end, common.end());
  }
  return common;
}

void ShowWords(const std::vector<std::string>& words) {
  size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size() + 2);
  const size_t columns = std::max<size_t>(1, std::max<size_t>(TerminalColumns(1), 40) / width);
  std::printf("\n");
  const size_t shown = std::min(words.size(), kMostShownCompletions);
  for (size_t i = 0; i < shown; ++i) {
    const bool ends_line = (i + 1) % columns == 0 || i + 1 == shown;
    std::printf("%-*s%s", ends_line ? 0 : static_cast<int>(width), words[i].c_str(),
                ends_line ? "\n" : "");
  }
  if (shown < words.size()) std::printf("… and %zu more\n", words.size() - shown);
  std::fflush(stdout);
}

}  // namespace

size_t BeginOfLastWord(std::string_view line) {
  size_t begin = line.size();
  while (begin > 0 && IsPartOfName(line[begin - 1])) --begin;
  return begin == 1 && line[0] == '.' ? 0 : begin;
}

std::string HistoryFile(std::string_view name) {
  std::filesystem::path folder;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    return "";
  }
  return folder / "gordian" / name;
}

struct LineEditor::Impl {
  static Impl& Of(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<Impl*>(self);
  }
  static char* Prompt(EditLine* editor) { return Of(editor).prompt.data(); }
  static unsigned char Cancel(EditLine* editor, int) {
    Of(editor).is_cancelled = true;
    std::fputs("^C\n", stdout);
    return CC_EOF;
  }
  // The editor's own handler puts the terminal back meanwhile.
  static unsigned char Suspend(EditLine*, int) {
    ::raise(SIGTSTP);
    return CC_REDISPLAY;
  }
  static unsigned char CompleteWord(EditLine* editor, int) { return Of(editor).Complete(); }

  unsigned char Complete() {
    const LineInfo* info = el_line(editor);
    const std::string_view line(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
    const std::vector<std::string> words = complete(line);
    if (words.empty()) return CC_ERROR;
    const size_t typed = line.size() - BeginOfLastWord(line);
    const std::string common = CommonBeginning(words);
    const bool is_whole = words.size() == 1;
    if (common.size() > typed || is_whole) {
      // What was typed may be of other case.
      el_deletestr(editor, static_cast<int>(typed));
      el_insertstr(editor, (common + (is_whole ? " " : "")).c_str());
      return CC_REFRESH;
    }
    ShowWords(words);
    return CC_REDISPLAY;
  }

  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string history_file;
  LineEditor::Complete complete;
  std::string prompt;
  bool is_cancelled = false;
};

LineEditor::LineEditor(const std::string& history_file, Complete complete)
    : impl_(std::make_unique<Impl>()) {
  std::setlocale(LC_CTYPE, "");  // names may be of any letters
  impl_->complete = std::move(complete);
  impl_->history_file = history_file;
  impl_->editor = el_init("gordian", stdin, stdout, stderr);
  impl_->history = history_init();
  EditLine* editor = impl_->editor;
  el_set(editor, EL_CLIENTDATA, impl_.get());
  el_set(editor, EL_PROMPT, Impl::Prompt);
  el_set(editor, EL_SIGNAL, 1);  // a window that changes its size
  el_set(editor, EL_EDITOR, "emacs");
  HistEvent event;
  history(impl_->history, &event, H_SETSIZE, kMostRemembered);
  history(impl_->history, &event, H_SETUNIQUE, 1);
  el_set(editor, EL_HIST, history, impl_->history);
  if (!history_file.empty()) history(impl_->history, &event, H_LOAD, history_file.c_str());
  el_source(editor, nullptr);  // ~/.editrc
  el_set(editor, EL_ADDFN, "gordian-complete", "complete the word", Impl::CompleteWord);
  el_set(editor, EL_ADDFN, "gordian-cancel", "forget the line", Impl::Cancel);
  el_set(editor, EL_BIND, "^I", "gordian-complete", nullptr);
  el_set(editor, EL_BIND, "^C", "gordian-cancel", nullptr);
  el_set(editor, EL_ADDFN, "gordian-suspend", "stop for now", Impl::Suspend);
  el_set(editor, EL_BIND, "^Z", "gordian-suspend", nullptr);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_set(editor, EL_SETTY, "-d", "-isig", nullptr);  // while a line is edited
}

LineEditor::~LineEditor() {
  history_end(impl_->history);
  el_end(impl_->editor);
}

LineEditor::Outcome LineEditor::Read(const std::string& prompt, std::string& line) {
  impl_->prompt = prompt;
  impl_->is_cancelled = false;
  int count = 0;
  const char* text = el_gets(impl_->editor, &count);
  if (impl_->is_cancelled) {
    el_reset(impl_->editor);
    return Outcome::kCancelled;
  }
  if (text == nullptr || count <= 0) return Outcome::kEnd;
  line.assign(text, static_cast<size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Outcome::kLine;
}

void LineEditor::Remember(const std::string& text) {
  HistEvent event;
  history(impl_->history, &event, H_ENTER, text.c_str());
  if (impl_->history_file.empty()) return;
  // A history that cannot be kept is no reason to stop.
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(impl_->history_file).parent_path();
  const mode_t before = ::umask(0077);  // what somebody asks is for nobody else
  std::filesystem::create_directories(folder, ignored);
  history(impl_->history, &event, H_SAVE, impl_->history_file.c_str());
  ::umask(before);
}

}  // namespace gordian
