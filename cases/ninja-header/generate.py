# SPDX-License-Identifier: Apache-2.0
"""Writes a small C project and its build.ninja. All files include generated tables.

usage: generate.py FOLDER one|parts
  one:   one step writes one header with all tables
  parts: a header and a step for each table
"""

import os
import sys

FILES = 12

SOURCE = """#include <stddef.h>
#include <stdint.h>
#include "{header}"
{functions}
"""

FUNCTION = """uint64_t look_up_{file}_{number}(const uint64_t *keys, size_t count) {{
  uint64_t sum = {number};
  for (size_t i = 0; i < count; i++) {{
    const uint64_t row = table_{file}[(keys[i] ^ sum) % (sizeof table_{file} / sizeof *table_{file})];
    switch ((row + {number}) % 7) {{
      case 0: sum += row * keys[i]; break;
      case 1: sum ^= row >> (keys[i] % 13); break;
      case 2: for (size_t k = 0; k < i % 9; k++) sum += keys[k] * row; break;
      case 3: sum -= keys[i] / (row + 1); break;
      default: sum = (sum << 7) | (sum >> 57);
    }}
  }}
  return sum;
}}
"""

MAIN = "int main(void) {{ return (int)({sums}); }}\n"


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main(folder, how):
    here = os.path.dirname(os.path.abspath(__file__))
    ninja = ["rule tables\n  command = ./maketables $out $tables",
             "rule cc\n  command = gcc -O2 -c -o $out $in",
             "rule link\n  command = gcc -o $out $in",
             "rule generator\n  command = gcc -O2 -o $out $in",
             f"build maketables: generator {os.path.join(here, 'maketables.c')}"]
    if how == "one":
        ninja.append(f"build tables.h: tables | maketables\n  tables = {' '.join(map(str, range(FILES)))}")
    calls = []
    for file in range(FILES):
        header = "tables.h" if how == "one" else f"table{file}.h"
        if how != "one":
            ninja.append(f"build {header}: tables | maketables\n  tables = {file}")
        functions = "\n".join(FUNCTION.format(file=file, number=number) for number in range(30))
        write(folder, f"file{file}.c", SOURCE.format(header=header, functions=functions))
        ninja.append(f"build file{file}.o: cc file{file}.c | {header}")
        calls.append(f"look_up_{file}_0")
    declarations = "".join(f"unsigned long {call}(const unsigned long *, unsigned long);\n" for call in calls)
    write(folder, "main.c", declarations + MAIN.format(sums=" + ".join(f"{call}(0, 0)" for call in calls)))
    ninja.append("build main.o: cc main.c")
    ninja.append(f"build program: link main.o {' '.join(f'file{file}.o' for file in range(FILES))}")
    ninja.append("default program\n")
    write(folder, "build.ninja", "\n".join(ninja))


if __name__ == "__main__":
    main(*sys.argv[1:])
