// SPDX-License-Identifier: Apache-2.0
// Command lines of programs, as recordings keep them: short, on one line, without secrets.
//
// A secret is what stands behind a word that announces one, in one of these forms (letter case does
// not matter; packaging/man/gordian-record.1 tells users the same rule):
//
//   --NAME=…  -DNAME=…  NAME=…     NAME contains such a word: all that follows in the argument
//   NAME: …   "NAME":"…"           likewise, if a space or a quote follows the colon
//   --NAME VALUE                   the next argument, unless it begins with "-" itself
//   SCHEME://USER:PASSWORD@HOST    the password; of http and https also a user without password
//
// Words: password, passwd, passphrase, secret, token, key, auth, credential. The rule rather hides
// too much (--keymap us) than too little. It cannot know secrets that no word announces (-pSECRET).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gordian {

inline constexpr size_t kMaxCommandBytes = 256;
inline constexpr std::string_view kMaskedSecret = "***";

// `last_is_cut`: more followed behind the last argument, so a secret in it may have lost its end.
std::vector<std::string> MaskSecrets(std::vector<std::string> arguments, bool last_is_cut = false);

// Of the arguments as the kernel keeps them, each with a NUL behind it: masked, joined by spaces,
// clean text, at most kMaxCommandBytes long. `is_cut`: more followed. Ends in "…" if cut.
std::string CommandLineText(std::string_view arguments, bool is_cut);

// Clean text of at most kMaxCommandBytes; of a longer path the end, behind "…".
std::string DirectoryText(std::string_view path);

// Clean text of at most kMaxCommandBytes, cut between two characters; then it ends in "…".
std::string BoundedText(std::string_view bytes, bool is_cut = false);

// Whether people call a program with that command line so: by all of it, by its program, or by the
// file that an interpreter runs: "python3 /srv/pay.py 80" is python3 and pay.py. `exactly`: letter
// case matters.
bool IsCommandCalled(std::string_view command, std::string_view name, bool exactly);

}  // namespace gordian
