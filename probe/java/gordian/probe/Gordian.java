// SPDX-License-Identifier: Apache-2.0
package gordian.probe;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Gordian's probes for Java: what a program says of itself that no kernel can see.
 *
 * <pre>
 *   try (var phase = Gordian.phase("compaction", table)) {   // phases of a thread nest
 *     Gordian.count("rows", 128);
 *   }
 *   Gordian.spinBegin(lock);  while (!lock.compareAndSet(false, true)) {}  Gordian.spinEnd(lock);
 *   …
 *   Gordian.spinRelease(lock);
 *   Gordian.falseWakeup();                                   // woken for nothing: will sleep again
 * </pre>
 *
 * While nobody records, a call reads one number. While {@code gordian record} runs, it writes one
 * record into memory that the recorder reads, without a system call. Nothing here throws: where
 * /dev/shm cannot be used, nothing is said. The same file as that of C programs
 * (gordian_probe_layout.h). No native code; Java 11 and newer, on Linux, where System.nanoTime is
 * CLOCK_MONOTONIC. Virtual threads move between the kernel's threads: what they say is dropped and
 * counted.
 */
public final class Gordian {
  private static final String DIRECTORY = "/dev/shm";
  private static final long MAGIC = 0x31626f7270647267L;
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 4096;
  private static final int RINGS = 128;
  private static final int RECORDS = 8192;
  private static final int RING_BYTES = 64;
  private static final int RECORD_BYTES = 128;
  private static final int NAME_BYTES = 48;
  private static final int KEY_BYTES = 56;
  private static final long LONGEST_NS = 3_000_000_000L;
  private static final int RECORDS_AT = HEADER_BYTES + RINGS * RING_BYTES;
  private static final int RECORDS_BYTES = RECORDS * RECORD_BYTES; // of a ring
  private static final int FILE_BYTES = RECORDS_AT + RINGS * RECORDS_BYTES;
  // Where things are: in the header, in a ring's state, in a record.
  private static final int RECORD_UNTIL = 128;
  private static final int DROPPED = 192;
  private static final int BEGUN = 0;
  private static final int ENDED = 8;
  private static final int OWNER = 24;
  private static final int VALUE = 8;
  private static final int TID = 16;
  private static final int KIND = 20;
  private static final int TEXT = 24;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final SharedFile FILE = SharedFile.makeOrNull();
  private static final ThreadLocal<Ring> RING = new ThreadLocal<>();

  private Gordian() {}

  /** This thread spins for the lock, a number of the caller's choice, … */
  public static void spinBegin(long lock) {
    if (isOn()) say(1, lock, null, null);
  }

  /** … and has it now, or has given up. */
  public static void spinEnd(long lock) {
    if (isOn()) say(2, lock, null, null);
  }

  /** This thread has given the lock back. */
  public static void spinRelease(long lock) {
    if (isOn()) say(3, lock, null, null);
  }

  /** As above, for a lock that is an object; two objects may, rarely, have one identity hash. */
  public static void spinBegin(Object lock) {
    if (isOn()) say(1, System.identityHashCode(lock), null, null);
  }

  public static void spinEnd(Object lock) {
    if (isOn()) say(2, System.identityHashCode(lock), null, null);
  }

  public static void spinRelease(Object lock) {
    if (isOn()) say(3, System.identityHashCode(lock), null, null);
  }

  /** Woken for nothing: this thread will sleep again. */
  public static void falseWakeup() {
    if (isOn()) say(4, 0, null, null);
  }

  /** This thread works on something until phaseEnd. Of the name 48 bytes are kept, of the key 56. */
  public static void phaseBegin(String name, String key) {
    if (isOn()) say(7, 0, name, key);
  }

  public static void phaseEnd() {
    if (isOn()) say(8, 0, null, null);
  }

  /** A number at this moment. */
  public static void count(String name, long value) {
    if (isOn()) say(9, value, name, null);
  }

  /** A phase that ends when it is closed. */
  public static Phase phase(String name, String key) {
    phaseBegin(name, key);
    return Gordian::phaseEnd;
  }

  public interface Phase extends AutoCloseable {
    @Override
    void close();
  }

  private static boolean isOn() {
    return FILE != null && (long) LONG.getOpaque(FILE.memory, RECORD_UNTIL) != 0;
  }

  private static void say(int kind, long value, String name, String key) {
    final long nowNs = System.nanoTime();
    final long untilNs = (long) LONG.getOpaque(FILE.memory, RECORD_UNTIL);
    if (nowNs > untilNs || untilNs - nowNs > LONGEST_NS) {
      LONG.compareAndSet(FILE.memory, RECORD_UNTIL, untilNs, 0L);
      return;
    }
    Ring ring = RING.get();
    if (ring == null) {
      ring = FILE.claim(Thread.currentThread());
      if (ring == null) {
        LONG.getAndAdd(FILE.memory, DROPPED, 1L);
        return;
      }
      RING.set(ring);
    }
    ring.write(FILE.memory, nowNs, kind, value, name, key);
  }

  /** A thread's place: it is the only writer of its records. */
  private static final class Ring {
    private final int stateAt;
    private final int recordsAt;
    private final int tid;
    private final WeakReference<Thread> thread;
    private long next;

    Ring(MappedByteBuffer memory, int number, int tid, Thread thread) {
      this.stateAt = HEADER_BYTES + number * RING_BYTES;
      this.recordsAt = RECORDS_AT + number * RECORDS_BYTES;
      this.tid = tid;
      this.thread = new WeakReference<>(thread);
      this.next = (long) LONG.getAcquire(memory, stateAt + ENDED);
      LONG.setRelease(memory, stateAt + OWNER, (long) tid);
    }

    boolean hasEnded() {
      final Thread owner = thread.get();
      return owner == null || !owner.isAlive();
    }

    void write(
        MappedByteBuffer memory, long nowNs, int kind, long value, String name, String key) {
      final int at = recordsAt + (int) (next % RECORDS) * RECORD_BYTES;
      LONG.setOpaque(memory, stateAt + BEGUN, next + 1);
      VarHandle.releaseFence(); // begun is seen before anything of the record
      memory.putLong(at, nowNs);
      memory.putLong(at + VALUE, value);
      memory.putInt(at + TID, tid);
      final int nameBytes = putText(memory, at + TEXT, name, NAME_BYTES);
      final int keyBytes = putText(memory, at + TEXT + nameBytes, key, KEY_BYTES);
      memory.put(at + KIND, (byte) kind);
      memory.put(at + KIND + 1, (byte) nameBytes);
      memory.put(at + KIND + 2, (byte) keyBytes);
      ++next;
      LONG.setRelease(memory, stateAt + ENDED, next);
    }

    private static int putText(MappedByteBuffer memory, int at, String text, int most) {
      if (text == null) return 0;
      final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      final int count = Math.min(bytes.length, most);
      for (int i = 0; i < count; ++i) memory.put(at + i, bytes[i]);
      return count;
    }
  }

  /** The process's file. */
  private static final class SharedFile {
    private final FileChannel channel; // kept open: its lock tells the recorder whose file this is
    private final MappedByteBuffer memory;
    private final Path path;
    private final Ring[] rings = new Ring[RINGS];

    static SharedFile makeOrNull() {
      try {
        return new SharedFile();
      } catch (IOException | RuntimeException | Error unusable) {
        return null; // no /dev/shm, or not to be written to: the program goes on without
      }
    }

    private SharedFile() throws IOException {
      final long createdNs = System.nanoTime();
      final int pid = (int) ProcessHandle.current().pid();
      path = Path.of(DIRECTORY, "gordian-probe." + pid + "." + createdNs);
      channel =
          FileChannel.open(
              path,
              Set.of(
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE,
                  StandardOpenOption.CREATE_NEW,
                  LinkOption.NOFOLLOW_LINKS),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try {
        channel.lock();
        reserve(0, RECORDS_AT);
        memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES);
      } catch (IOException | RuntimeException | Error unusable) {
        Files.deleteIfExists(path);
        channel.close();
        throw unusable;
      }
      memory.order(ByteOrder.nativeOrder());
      memory.putInt(8, VERSION).putInt(12, HEADER_BYTES).putInt(16, RINGS).putInt(20, RECORDS);
      memory.putInt(24, RECORD_BYTES).putInt(28, pid);
      memory.putLong(32, pidNamespace()).putLong(40, createdNs);
      LONG.setOpaque(memory, RECORD_UNTIL, recordingUntil());
      LONG.setRelease(memory, 0, MAGIC);
      Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    }

    /** A free ring, or one whose thread has ended; null if there is none. */
    synchronized Ring claim(Thread thread) {
      final int tid = threadId(thread);
      if (tid == 0) return null;
      for (int number = 0; number < RINGS; ++number) {
        final Ring known = rings[number];
        if (known != null && !known.hasEnded()) continue;
        try {
          if (known == null) reserve(RECORDS_AT + number * RECORDS_BYTES, RECORDS_BYTES);
        } catch (IOException full) {
          return null;
        }
        rings[number] = new Ring(memory, number, tid, thread);
        return rings[number];
      }
      return null;
    }

    /** Memory of a full tmpfs is not there when it is touched, which is an error: asked for first. */
    private void reserve(int at, int bytes) throws IOException {
      final ByteBuffer zeros = ByteBuffer.allocate(bytes);
      while (zeros.hasRemaining()) channel.write(zeros, at + zeros.position());
    }

    /** The file goes with the process if nobody records; else the recorder removes it. */
    private void end() {
      try {
        if ((long) LONG.getOpaque(memory, RECORD_UNTIL) < System.nanoTime()) {
          Files.deleteIfExists(path);
        }
      } catch (IOException | RuntimeException left) {
        // The next recorder removes it.
      }
    }

    /** The kernel's id of the calling thread; 0 where it has none of its own. */
    private static int threadId(Thread thread) {
      try {
        if (isVirtual(thread)) return 0;
        final Path self = Files.readSymbolicLink(Path.of("/proc/thread-self"));
        return Integer.parseInt(self.getFileName().toString());
      } catch (IOException | RuntimeException unknown) {
        return 0;
      }
    }

    private static boolean isVirtual(Thread thread) {
      try {
        return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
      } catch (ReflectiveOperationException before21) {
        return false;
      }
    }

    private static long pidNamespace() {
      try {
        return ((Number) Files.getAttribute(Path.of("/proc/self/ns/pid"), "unix:ino")).longValue();
      } catch (IOException | RuntimeException unknown) {
        return 0;
      }
    }

    /** Until when the recorders of this machine want to be told, as they have noted. */
    private static long recordingUntil() {
      final Path mark = Path.of(DIRECTORY, "gordian-recording");
      try {
        if (!Files.isRegularFile(mark, LinkOption.NOFOLLOW_LINKS)) return 0;
        final int owner = (int) Files.getAttribute(mark, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        final int self = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (owner != 0 && owner != self) return 0;
        try (FileChannel channel =
            FileChannel.open(mark, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
          final ByteBuffer until = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
          return channel.read(until, 0) == 8 ? until.getLong(0) : 0;
        }
      } catch (IOException | RuntimeException unknown) {
        return 0;
      }
    }
  }
}
