// SPDX-License-Identifier: Apache-2.0
// Writes invoices; a semaphore bounds how many ask the tax office at a time. usage: Invoice PORT TAX_PORT PERMITS HANDLERS
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

final class Invoice {
    static final class Office {
        final Socket socket;
        final BufferedReader answers;

        Office(int port) {
            try {
                socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        String ask() throws IOException {
            socket.getOutputStream().write("tax\n".getBytes(StandardCharsets.UTF_8));
            return answers.readLine();
        }
    }

    private final Semaphore permits;
    private final ThreadLocal<Office> office;

    Invoice(int taxPort, int permits) {
        this.permits = new Semaphore(permits);
        this.office = ThreadLocal.withInitial(() -> new Office(taxPort));
    }

    void handle(HttpExchange exchange) throws IOException {
        String tax;
        permits.acquireUninterruptibly();
        try {
            tax = office.get().ask();
        } finally {
            permits.release();
        }
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 40; line++) text.append(line).append(": ").append(tax).append('\n');
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    public static void main(String[] arguments) throws IOException {
        Invoice invoice = new Invoice(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        HttpServer server = HttpServer.create(address, 64);
        server.createContext("/", invoice::handle);
        server.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(arguments[3]), run -> new Thread(run, "handler")));
        server.start();
    }
}
