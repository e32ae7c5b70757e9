# SPDX-License-Identifier: Apache-2.0
"""Writes a project of six folders, each with a large file and a small one. usage: generate.py FOLDER loop|targets"""

import os
import sys

FOLDERS = ["base", "codec", "format", "filter", "device", "tools"]
LOOP = """FOLDERS = {folders}
all:
\tfor folder in $(FOLDERS); do $(MAKE) -C $$folder || exit 1; done
"""
TARGETS = """FOLDERS = {folders}
all: $(FOLDERS)
$(FOLDERS):
\t$(MAKE) -C $@
.PHONY: all $(FOLDERS)
"""
FOLDER = """lib{name}.a: large.o small.o
\tar rcs $@ $^
%.o: %.c
\tgcc -O2 -c -o $@ $<
"""


def large(functions):
    lines = []
    for n in range(functions):
        lines.append(f"int step{n}(int *values, int count) {{ int sum = {n}; for (int i = 0; i < count; i++) "
                     f"{{ if (values[i] % {n + 2} == 0) sum += values[i] * {n}; else sum ^= values[count - 1 - i] >> (i % 7); "
                     f"values[i] = sum % (i + {n + 1}); }} return sum; }}")
    return "\n".join(lines) + "\n"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


folder, how = sys.argv[1:3]
write(os.path.join(folder, "Makefile"), (LOOP if how == "loop" else TARGETS).format(folders=" ".join(FOLDERS)))
for name in FOLDERS:
    os.mkdir(os.path.join(folder, name))
    write(os.path.join(folder, name, "Makefile"), FOLDER.format(name=name))
    write(os.path.join(folder, name, "large.c"), large(200))
    write(os.path.join(folder, name, "small.c"), large(5))
