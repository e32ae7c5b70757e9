# SPDX-License-Identifier: Apache-2.0
"""Says what probe_recording_test.cc expects."""
import threading

import gordian_probe as probe


def speak():
    for i in range(500):
        probe.count("word", i)


with probe.phase("load", "part 1"):
    with probe.spin_wait(4711):
        pass
    probe.spin_release(4711)
    probe.false_wakeup()
    probe.count("rows", -7)
threads = [threading.Thread(target=speak) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
