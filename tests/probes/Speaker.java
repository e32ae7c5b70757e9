// SPDX-License-Identifier: Apache-2.0
import gordian.probe.Gordian;
import java.util.ArrayList;
import java.util.List;

/** Says what probe_recording_test.cc expects. */
public final class Speaker {
  public static void main(String[] arguments) throws InterruptedException {
    try (Gordian.Phase phase = Gordian.phase("load", "part 1")) {
      Gordian.spinBegin(4711);
      Gordian.spinEnd(4711);
      Gordian.spinRelease(4711);
      Gordian.falseWakeup();
      Gordian.count("rows", -7);
    }
    final List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; ++i) {
      final Thread thread =
          new Thread(
              () -> {
                for (int word = 0; word < 500; ++word) Gordian.count("word", word);
              });
      threads.add(thread);
      thread.start();
    }
    for (final Thread thread : threads) thread.join();
  }
}
