// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** Sets a value over and over, with some requests in flight; prints how many a second. */
public class Load {
  public static void main(String[] arguments) throws Exception {
    String server = arguments[0];
    long seconds = Long.parseLong(arguments[1]);
    int inFlight = Integer.parseInt(arguments[2]);
    Semaphore connected = new Semaphore(0);
    ZooKeeper client = new ZooKeeper(server, 30_000, event -> connected.release());
    connected.acquire();
    if (client.exists("/load", false) == null) {
      client.create("/load", new byte[100], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
    Semaphore free = new Semaphore(inFlight);
    AtomicLong done = new AtomicLong();
    long beginNs = System.nanoTime();
    while (System.nanoTime() - beginNs < seconds * 1_000_000_000L) {
      free.acquire();
      client.setData("/load", new byte[100], -1, (code, path, context, stat) -> {
        done.incrementAndGet();
        free.release();
      }, null);
    }
    free.acquire(inFlight);
    System.out.println(done.get() * 1e9 / (System.nanoTime() - beginNs));
    client.close();
  }
}
