// SPDX-License-Identifier: Apache-2.0
// Rates customers. usage: Customers PORT DATABASE-PORT RATINGS-PORT CONNECTIONS THREADS
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

final class Customers {
    private static final int CUSTOMERS = 1000;

    private final BlockingQueue<Connection> pool;
    private final ThreadLocal<Socket> ratings;

    Customers(String url, int connections, int ratingsPort) throws SQLException {
        pool = new ArrayBlockingQueue<>(connections);
        for (int n = 0; n < connections; n++) pool.add(DriverManager.getConnection(url));
        ratings = ThreadLocal.withInitial(() -> {
            try {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), ratingsPort);
                socket.setTcpNoDelay(true);
                return socket;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private int askRating(String name) throws IOException {
        Socket socket = ratings.get();
        socket.getOutputStream().write((name + "\n").getBytes(StandardCharsets.UTF_8));
        byte[] answer = new byte[16];
        int length = socket.getInputStream().read(answer);
        return Integer.parseInt(new String(answer, 0, length, StandardCharsets.UTF_8).trim());
    }

    private String rate(int id) throws Exception {
        Connection connection = pool.take();
        try (PreparedStatement read = connection.prepareStatement("select name from customers where id = ?");
                PreparedStatement write = connection.prepareStatement("update customers set rating = rating + ? where id = ?")) {
            read.setInt(1, id);
            String name;
            try (ResultSet row = read.executeQuery()) {
                row.next();
                name = row.getString(1);
            }
            write.setInt(1, askRating(name));
            write.setInt(2, id);
            write.executeUpdate();
            return name;
        } finally {
            pool.add(connection);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try {
            byte[] text = rate(ThreadLocalRandom.current().nextInt(CUSTOMERS)).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
        } catch (Exception e) {
            exchange.sendResponseHeaders(500, -1);
        }
        exchange.close();
    }

    private static void createTable(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
            statement.execute("create database if not exists shop");
            statement.execute("create or replace table shop.customers (id int primary key, name varchar(40), rating bigint)");
            statement.execute("insert into shop.customers select seq, concat('customer ', seq), 0 from shop.seq_0_to_" + (CUSTOMERS - 1));
        }
    }

    public static void main(String[] arguments) throws Exception {
        String server = "jdbc:mariadb://127.0.0.1:" + arguments[1] + "/";
        createTable(server + "?user=root");
        Customers customers = new Customers(server + "shop?user=root", Integer.parseInt(arguments[3]), Integer.parseInt(arguments[2]));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        HttpServer http = HttpServer.create(address, 128);
        http.createContext("/", customers::handle);
        http.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(arguments[4]), run -> new Thread(run, "web")));
        http.start();
    }
}
