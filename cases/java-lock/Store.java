// SPDX-License-Identifier: Apache-2.0
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** A thread for each CPU keeps sums of blocks in a map with one lock, or in 64 maps with a lock each; prints how many a second. */
public class Store {
  static final int THREADS = Runtime.getRuntime().availableProcessors();

  static class Part {
    private final Map<Long, Long> sums = new HashMap<>();
    private final byte[] block = new byte[100_000];

    synchronized void put(long key) {
      block[(int) (key % block.length)] = (byte) key;
      CRC32 sum = new CRC32();
      for (int i = 0; i < 200; i++) sum.update(block);
      sums.put(key % 1000, sum.getValue());
    }
  }

  public static void main(String[] arguments) throws Exception {
    long seconds = Long.parseLong(arguments[0]);
    Part[] parts = new Part[Integer.parseInt(arguments[1])];
    for (int i = 0; i < parts.length; i++) parts[i] = new Part();
    AtomicLong done = new AtomicLong();
    long beginNs = System.nanoTime();
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      long seed = i;
      threads[i] = new Thread(() -> {
        long key = seed;
        while (System.nanoTime() - beginNs < seconds * 1_000_000_000L) {
          key = key * 6364136223846793005L + 1442695040888963407L;
          parts[(int) ((key >>> 33) % parts.length)].put(key >>> 33);
          done.incrementAndGet();
        }
      }, "worker-" + i);
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println(done.get() * 1e9 / (System.nanoTime() - beginNs));
  }
}
