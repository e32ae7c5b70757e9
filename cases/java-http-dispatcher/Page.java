// SPDX-License-Identifier: Apache-2.0
// usage: Page PORT CATALOGUE_PORT THREADS ROWS
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.Executors;

public class Page {
  static final ThreadLocal<Socket> catalogue = new ThreadLocal<>();

  static String ask(int port) throws IOException {
    Socket socket = catalogue.get();
    if (socket == null) {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      catalogue.set(socket);
    }
    socket.getOutputStream().write("article\n".getBytes());
    byte[] answer = new byte[100];
    return new String(answer, 0, socket.getInputStream().read(answer)).trim();
  }

  public static void main(String[] args) throws Exception {
    final int port = Integer.parseInt(args[1]);
    final int rows = Integer.parseInt(args[3]);
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 256);
    server.createContext("/", exchange -> {
      StringBuilder page = new StringBuilder();
      String article = ask(port);
      for (int i = 0; i < rows; i++) page.append("<li>").append(article).append(i).append("</li>\n");
      byte[] bytes = page.toString().getBytes();
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    });
    if (Integer.parseInt(args[2]) > 0) server.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(args[2])));
    server.start();
  }
}
