// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * Batches of orders go through a parallel stream; each order asks a service for a quote and then is signed.
 *
 * <p>usage: Quotes SECONDS PORT THREADS shared|each: prints how many orders a second; a connection for all threads or for each.
 */
public class Quotes {
  static final int BATCH = 256;

  /** One connection: a question and its answer at a time. */
  static class QuoteClient {
    private final OutputStream requests;
    private final BufferedReader answers;

    QuoteClient(int port) {
      try {
        Socket socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        requests = socket.getOutputStream();
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream()));
      } catch (IOException refused) {
        throw new IllegalStateException(refused);
      }
    }

    synchronized String quote(int order) {
      try {
        requests.write(("order " + order + "\n").getBytes());
        return answers.readLine();
      } catch (IOException lost) {
        throw new IllegalStateException(lost);
      }
    }
  }

  static long sign(String quote) {
    byte[] text = (quote + " ".repeat(20_000)).getBytes();
    CRC32 sum = new CRC32();
    for (int i = 0; i < 50; i++) sum.update(text);
    return sum.getValue();
  }

  public static void main(String[] arguments) throws Exception {
    long seconds = Long.parseLong(arguments[0]);
    int port = Integer.parseInt(arguments[1]);
    QuoteClient shared = new QuoteClient(port);
    ThreadLocal<QuoteClient> each = ThreadLocal.withInitial(() -> new QuoteClient(port));
    boolean isShared = arguments[3].equals("shared");
    ForkJoinPool pool = new ForkJoinPool(Integer.parseInt(arguments[2]));
    AtomicLong signed = new AtomicLong();
    long beginNs = System.nanoTime();
    while (System.nanoTime() - beginNs < seconds * 1_000_000_000L) {
      pool.submit(() -> IntStream.range(0, BATCH).parallel().forEach(order -> {
        sign((isShared ? shared : each.get()).quote(order));
        signed.incrementAndGet();
      })).get();
    }
    System.out.println(signed.get() * 1e9 / (System.nanoTime() - beginNs));
    System.exit(0);
  }
}
