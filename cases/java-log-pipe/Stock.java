// SPDX-License-Identifier: Apache-2.0
// A web service that tells what is in stock, and logs each request. usage: Stock PORT HANDLERS
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;

public class Stock {
  private static final Logger LOG = Logger.getLogger("stock");

  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    AtomicLong requests = new AtomicLong();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 256);
    server.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(arguments[1]), work -> new Thread(work, "handler")));
    server.createContext("/", exchange -> {
      long article = requests.incrementAndGet() % 1000;
      byte[] answer = ("article " + article + ": " + article * 37 % 90 + " in stock\n").getBytes(StandardCharsets.UTF_8);
      LOG.info("asked for article " + article + " from " + exchange.getRemoteAddress());
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    });
    server.start();
  }
}
