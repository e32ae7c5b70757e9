// SPDX-License-Identifier: Apache-2.0
import java.io.File;

/** Computes; makes the file it is given when it has done so for a while, and goes on. */
public final class Burner {
  static long burn(long seed) {
    long sum = seed;
    for (int step = 0; step < 1_000_000; ++step) sum = sum * 31 + step;
    return sum;
  }

  public static void main(String[] arguments) throws java.io.IOException {
    final int rounds = Integer.parseInt(arguments[0]);
    long sum = 1;
    for (int round = 0; round < rounds; ++round) sum = burn(sum);
    if (arguments.length == 1) System.exit(sum == 42 ? 1 : 0);
    new File(arguments[1]).createNewFile();
    while (sum != 42) sum = burn(sum);
  }
}
