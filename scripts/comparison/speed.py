"""What two programs cost, run in turn: A B, B A, A B, …; ratios are those of pairs."""

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


def ratio_text(ratios):
    return f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def largest(recordings, count):
    """By their bytes on disk."""
    def size(recording):
        top = os.path.join(recording.corpus, "recordings", recording.name)
        return sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(top) for file in files)
    return sorted(recordings, key=size, reverse=True)[:count]


def table(base, new, recordings, pairs):
    """Rows of text, the first one the header. The last number of each cell is the ratio new / base."""
    rows = [("recording", "CPU s, base", "new", "ratio (from to)", "MiB, base", "new", "ratio (from to)")]
    for recording in recordings:
        directory = os.path.join(recording.corpus, "recordings")
        runs = in_turn(lambda: cost([base, "analyze", recording.name], directory),
                       lambda: cost([new, "analyze", recording.name], directory), pairs)
        cells = [recording.name]
        for what, form in ((0, "{:.2f}"), (1, "{:.0f}")):
            for side in (0, 1):
                cells.append(form.format(statistics.median(run[side][what] for run in runs)))
            cells.append(ratio_text([run[1][what] / run[0][what] for run in runs]))
        rows.append(tuple(cells))
    return rows
