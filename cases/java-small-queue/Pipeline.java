// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.zip.CRC32;

/** A reader gets blocks in bursts of 64 and queues them; a worker sums them up. Prints blocks a second. */
public class Pipeline {
  static final int BURST = 64;

  static void sum(byte[] block) {
    CRC32 sum = new CRC32();
    for (int i = 0; i < 150; i++) sum.update(block);
    block[0] = (byte) sum.getValue();
  }

  public static void main(String[] arguments) throws Exception {
    long seconds = Long.parseLong(arguments[0]);
    BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(Integer.parseInt(arguments[1]));
    long endNs = System.nanoTime() + seconds * 1_000_000_000L;
    Thread reader = new Thread(() -> {
      byte[][] burst = new byte[BURST][20_000];
      try {
        while (System.nanoTime() < endNs) {
          for (byte[] block : burst) sum(block);             // a burst comes as a whole: say, unpacked
          for (byte[] block : burst) queue.put(block.clone());
        }
        queue.put(new byte[0]);
      } catch (InterruptedException stopped) {
        throw new IllegalStateException(stopped);
      }
    }, "reader");
    long beginNs = System.nanoTime();
    reader.start();
    Thread.currentThread().setName("main");
    long[] blocks = new long[1];
    Thread worker = new Thread(() -> {
      try {
        for (byte[] block = queue.take(); block.length > 0; block = queue.take()) {
          sum(block);
          blocks[0]++;
        }
      } catch (InterruptedException stopped) {
        throw new IllegalStateException(stopped);
      }
    }, "worker");
    worker.start();
    worker.join();
    System.out.println(blocks[0] * 1e9 / (System.nanoTime() - beginNs));
  }
}
