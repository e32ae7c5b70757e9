# SPDX-License-Identifier: Apache-2.0
# ninja builds a program of twelve files with two jobs at a time. All files include one generated header, and one program
# writes it alone, before the first file can be compiled.
# shellcheck shell=bash
case_title() { echo "ninja: all files wait for one generated header"; }
case_packages() { echo ninja-build gcc libc6-dev python3; }
case_fixed() { echo "a header for each file"; }
case_vain() { echo "eight jobs at a time instead of two"; }
case_job() {
  local headers=one jobs=2
  [ "$variant" != fixed ] || headers=parts
  [ "$variant" != vain ] || jobs=8
  rm -rf "$work/project"
  mkdir "$work/project"
  python3 "$case_dir/generate.py" "$work/project" $headers
  ninja -C "$work/project" -j $jobs >/dev/null
}
case_whatif() { echo "--add-thread=maketables=1"; }
case_vain_whatif() { echo "--in-flight=ninja=4"; }
