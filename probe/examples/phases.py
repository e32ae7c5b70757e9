# SPDX-License-Identifier: Apache-2.0
"""A job whose phases and progress a recording tells: run it under `gordian record`."""
import gordian_probe as probe


def parse(part):
    with probe.phase("parse", "part %d" % part):
        return sum(len(str(number)) for number in range(20000))


with probe.phase("job", "nightly"):
    characters = 0
    for part in range(3):
        characters += parse(part)
        probe.count("characters", characters)
