#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks each verb of gordian-mpi with one and two ranks of a real mpirun, and compares what it writes with what gordian writes,
to the last byte. Exits with 77 if mpirun is not there.

usage: verbs_by_mpirun.py GORDIAN GORDIAN_MPI SIMULATED_CLUSTER
"""
import os
import shutil
import subprocess
import sys
import tempfile

# Options of each verb, and the files that it writes besides standard output.
QUESTIONS = [
    ("traffic", ["--by", "host"], []),
    ("traffic", ["--json"], []),
    ("participation", ["--window", "5ms"], []),
    ("participation", ["--by", "vertex", "--json", "OUT.json"], ["OUT.json"]),
    ("slice", ["--thread", "gate-0", "--forward", "--scope", "thread"], []),
    ("slice", ["--thread", "gate-0", "--json", "OUT.json", "--dot", "OUT.dot"], ["OUT.json", "OUT.dot"]),
    ("slice", ["--critical-path"], []),
    ("query", ["SELECT kind, count(*) FROM segment GROUP BY kind"], []),
    ("query", ["--csv", "SELECT * FROM wait_graph(0, 20000000)"], []),
    ("analyze", ["--no-predictions", "--json", "OUT.json", "--html", "OUT.html"], ["OUT.json", "OUT.html"]),
]


def run(command, folder, environment):
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}: {done.stderr}")
    return done.stdout


def written(command, verb, options, files, folder, environment):
    words = [*command, verb, "recording", *options]
    told = [run(words, folder, environment)]
    for name in files:
        with open(os.path.join(folder, name), "rb") as file:
            told.append(file.read())
        os.unlink(os.path.join(folder, name))
    return told


def main():
    gordian, gordian_mpi, simulated_cluster = map(os.path.abspath, sys.argv[1:4])
    if shutil.which("mpirun") is None:
        print("mpirun is not installed")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="gordian-verbs-")
    try:
        environment = dict(os.environ, GORDIAN_STORE="", TMPDIR=folder, XDG_CACHE_HOME=folder,
                           OMPI_MCA_btl_vader_single_copy_mechanism="none",
                           NO_COLOR="1")  # mpirun gives ranks a terminal
        run([simulated_cluster, "3", "20000", "recording", "--threads", "90", "--old", "1"], folder, environment)
        for verb, options, files in QUESTIONS:
            expected = written([gordian], verb, options, files, folder, environment)
            for ranks in ("1", "2"):
                mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", ranks, gordian_mpi]
                told = written(mpirun, verb, options, files, folder, environment)
                if told != expected:
                    sys.exit(f"{verb} {' '.join(options)}: {ranks} ranks write something else than gordian")
            print(f"{verb} {' '.join(options)}: {sum(map(len, expected))} bytes, the same")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
