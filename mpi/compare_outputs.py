#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the page, the graph and the JSON of one recording with one process and with some ranks of gordian-mpi. All files must
be the same, to the last byte. Exits with 77 if mpirun is not there.

usage: compare_outputs.py GORDIAN GORDIAN_MPI WRITE_CLUSTER [--events N] [--ranks N…]
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

OUTPUTS = {"--html": "page.html", "--dot": "graph.dot", "--json": "report.json"}


def outputs_in(folder):
    os.mkdir(folder)
    return [word for option, name in OUTPUTS.items() for word in (option, os.path.join(folder, name))]


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gordian")
    parser.add_argument("gordian_mpi")
    parser.add_argument("write_cluster")
    parser.add_argument("--events", type=int, default=300_000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3])
    arguments = parser.parse_args()
    if shutil.which("mpirun") is None:
        print("compare_outputs: skipped: mpirun is not there (Debian: openmpi-bin)")
        sys.exit(77)
    differences = 0
    with tempfile.TemporaryDirectory(prefix="compare-outputs-") as folder:
        recording = os.path.join(folder, "recording")
        environment = dict(os.environ, GORDIAN_STORE="", TMPDIR=folder, OMPI_MCA_btl_vader_single_copy_mechanism="none")
        subprocess.run([arguments.write_cluster, str(arguments.events), recording], check=True)
        alone = os.path.join(folder, "alone")
        subprocess.run([arguments.gordian, "analyze", recording, "--quiet", *outputs_in(alone)], check=True, env=environment)
        for ranks in arguments.ranks:
            together = os.path.join(folder, f"ranks{ranks}")
            subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks),
                            arguments.gordian_mpi, "analyze", recording, "--quiet", "--work", os.path.join(folder, f"work{ranks}"),
                            *outputs_in(together)], check=True, env=environment, timeout=300)
            for name in OUTPUTS.values():
                expected, told = read(alone, name), read(together, name)
                if told == expected:
                    continue
                at = next((i for i, (a, b) in enumerate(zip(expected, told)) if a != b), min(len(expected), len(told)))
                print(f"{name} of {ranks} ranks differs at byte {at}: {expected[at - 40:at + 40]!r} became {told[at - 40:at + 40]!r}",
                      file=sys.stderr)
                differences += 1
    if differences:
        sys.exit(1)
    print(f"{len(OUTPUTS)} outputs of {arguments.ranks} ranks: all equal to those of one process")


if __name__ == "__main__":
    main()
