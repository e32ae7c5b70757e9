# SPDX-License-Identifier: Apache-2.0
"""Which unit tests fail when a threshold is moved."""

import json
import os
import subprocess
import tempfile

LONGEST_S = 60


def programs_in(folder):
    if not folder or not os.path.isdir(folder):
        return []
    return sorted(entry.path for entry in os.scandir(folder) if entry.is_file() and entry.name.endswith("_test"))


def names_in(program, names):
    """By which of these names a program can be moved: it holds them as text."""
    with open(program, "rb") as file:
        content = file.read()
    return {name for name in names if b"\0" + name.encode() + b"\0" in content}


def failed_in(result):
    """Names of the tests that failed, from what gtest wrote."""
    return [f"{suite['name']}.{test['name']}" for suite in result.get("testsuites", []) for test in suite.get("testsuite", [])
            if test.get("failures")]


def run(program, move=None):
    """Names of the tests that fail; the program's own where it fell over."""
    environment = dict(os.environ)
    environment.pop("GORDIAN_MOVE", None)
    if move:
        environment["GORDIAN_MOVE"] = move
    with tempfile.TemporaryDirectory() as folder:
        told = os.path.join(folder, "result.json")
        words = [program, "--gtest_brief=1", f"--gtest_output=json:{told}"]
        try:
            subprocess.run(words, capture_output=True, check=False, env=environment, cwd=folder, timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            return [f"{os.path.basename(program)} does not end"]
        if not os.path.exists(told):
            return [f"{os.path.basename(program)} falls over"]
        with open(told, encoding="utf-8") as file:
            return failed_in(json.load(file))
