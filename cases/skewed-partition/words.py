#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The most frequent words of a folder of texts: processes count in each text, then one adds. usage: words.py FOLDER PROCESSES"""

import collections
import multiprocessing
import os
import re
import sys

WORD = re.compile(r"[A-Za-z_]+")


def count(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return collections.Counter(word.lower() for line in file for word in WORD.findall(line))


def main():
    folder = sys.argv[1]
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    words = collections.Counter()
    with multiprocessing.Pool(int(sys.argv[2])) as pool:
        for counts in pool.imap_unordered(count, paths):
            words.update(counts)
    for word, times in words.most_common(20):
        print(word, times)


main()
