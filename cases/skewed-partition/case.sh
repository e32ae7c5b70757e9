# SPDX-License-Identifier: Apache-2.0
# Two processes map the partitions of a text, then one reduces. The largest partition is as large as half of all others, and it
# comes last.
# shellcheck shell=bash
case_title() { echo "Map and reduce: one large partition"; }
case_packages() { echo python3; }
case_fixed() { echo "partitions of equal size"; }
case_vain() { echo "four processes instead of two"; }
case_prepare() {
  mkdir "$work/skewed" "$work/equal"
  # head ends when it has enough, and then its writer fails by SIGPIPE.
  find /usr/include /usr/share/perl -type f -name '*.[hp]*' -print0 2>/dev/null | sort -z | xargs -0 cat 2>/dev/null |
    head -c 24000000 >"$work/once" || true
  cat "$work/once" "$work/once" "$work/once" >"$work/text"
  split -n l/18 -d "$work/text" "$work/equal/part-"
  local lines
  lines=$(($(wc -l <"$work/text") * 5 / 9))
  head -n $lines "$work/text" >"$work/head"
  split -n l/10 -d "$work/head" "$work/skewed/part-"
  tail -n +$((lines + 1)) "$work/text" >"$work/skewed/part-99"
}
case_job() {
  local parts=skewed processes=2
  [ "$variant" != fixed ] || parts=equal
  [ "$variant" != vain ] || processes=4
  "$case_dir/words.py" "$work/$parts" $processes >"$work/words"
}
case_whatif() { echo "--run=words.py=0.75"; }
case_vain_whatif() { echo "--add-thread=words.py=2"; }
