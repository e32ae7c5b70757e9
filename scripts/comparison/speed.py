# SPDX-License-Identifier: Apache-2.0
"""What two programs cost, run in turn: A B, B A, A B, …

Two ratios tell it. That of pairs, the median, is right where the machine's speed drifts slowly; that of the least cost of either
where others disturb some of the runs. What both say is so.
"""

import os
import statistics
import subprocess


def cost(words, directory):
    """CPU seconds (user and system) and peak memory in MiB of one run."""
    with subprocess.Popen(words, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        message = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed: {message.strip()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def in_turn(run_base, run_new, pairs):
    """[(of the base, of the new one)]; who begins changes from pair to pair."""
    results = []
    for pair in range(pairs):
        if pair % 2 == 0:
            base = run_base()
            results.append((base, run_new()))
        else:
            new = run_new()
            results.append((run_base(), new))
    return results


def ratios(pairs):
    """(the median of pairs, the least, the most, the ratio of the least costs)"""
    of_pairs = [new / base for base, new in pairs]
    least = min(new for _, new in pairs) / min(base for base, _ in pairs)
    return statistics.median(of_pairs), min(of_pairs), max(of_pairs), least


def ratio_text(pairs):
    median, low, high, least = ratios(pairs)
    return f"{median:.3f} ({low:.3f} to {high:.3f}), of the least {least:.3f}"


def is_over(pairs, limit):
    """Both ratios say so."""
    median, _, _, least = ratios(pairs)
    return min(median, least) > limit


def largest(recordings, count):
    """By their bytes on disk."""
    def size(recording):
        top = os.path.join(recording.corpus, "recordings", recording.name)
        return sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(top) for file in files)
    return sorted(recordings, key=size, reverse=True)[:count]


def table(base, new, recordings, pairs):
    """Rows of text, the first one the header."""
    rows = [("recording", "CPU s, base", "new", "new / base", "MiB, base", "new", "new / base")]
    for recording in recordings:
        directory = os.path.join(recording.corpus, "recordings")
        runs = in_turn(lambda: cost([base, "analyze", recording.name], directory),
                       lambda: cost([new, "analyze", recording.name], directory), pairs)
        cells = [recording.name]
        for what, form in ((0, "{:.2f}"), (1, "{:.0f}")):
            for side in (0, 1):
                cells.append(form.format(statistics.median(run[side][what] for run in runs)))
            cells.append(ratio_text([(run[0][what], run[1][what]) for run in runs]))
        rows.append(tuple(cells))
    return rows
