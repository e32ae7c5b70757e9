// SPDX-License-Identifier: Apache-2.0
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP service that keeps 400,000 entries in memory; each request replaces 100 of them. Arguments: port, threads. */
public class Cache {
  static final int ENTRIES = 400_000;
  static final int PARTS = 16;
  static final int REPLACED = 100;
  static final int BYTES = 500;

  public static void main(String[] arguments) throws Exception {
    @SuppressWarnings("unchecked")
    Map<Integer, byte[]>[] parts = new Map[PARTS];
    for (int part = 0; part < PARTS; part++) parts[part] = new HashMap<>();
    for (int key = 0; key < ENTRIES; key++) parts[key % PARTS].put(key, new byte[BYTES]);
    AtomicInteger threads = new AtomicInteger();
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])), 64);
    server.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(arguments[1]), run -> new Thread(run, "worker-" + threads.incrementAndGet())));
    server.createContext("/", exchange -> {
      long sum = 0;
      for (int i = 0; i < REPLACED; i++) {
        int key = ThreadLocalRandom.current().nextInt(ENTRIES);
        Map<Integer, byte[]> part = parts[key % PARTS];
        synchronized (part) {
          byte[] before = part.put(key, new byte[BYTES]);
          sum += before.length;
        }
      }
      byte[] body = Long.toString(sum).getBytes();
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
  }
}
