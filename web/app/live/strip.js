// SPDX-License-Identifier: Apache-2.0
// What limited each of the last seconds, in as much memory in eight hours as in one.
export const mostSeconds = 900;

export function makeStrip() {
  let seconds = [];  // {number, clock_s, limit, kind, share, cpus, judged}, oldest first
  return {
    list: () => seconds,
    // All that the server has kept: it replaces what is known.
    reset(list) { seconds = list.slice(-mostSeconds); },
    add(second) {
      if (seconds.length && second.number <= seconds[seconds.length - 1].number) return;
      seconds.push(second);
      if (seconds.length > mostSeconds) seconds = seconds.slice(-mostSeconds);
    },
    // The one of that number, or the last before it.
    at(number) {
      let low = 0, high = seconds.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (seconds[middle].number <= number) low = middle + 1;
        else high = middle;
      }
      return seconds[low - 1] ?? null;
    },
  };
}

// Which colour each limit has: those that were the limit longest have one, the others share the last.
export function coloursOfLimits(seconds, colours) {
  const lasted = new Map();
  for (const {limit} of seconds) if (limit) lasted.set(limit, (lasted.get(limit) ?? 0) + 1);
  const ranked = [...lasted].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([limit]) => limit);
  return new Map(ranked.map((limit, i) => [limit, Math.min(i, colours - 1)]));
}
