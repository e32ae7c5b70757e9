// SPDX-License-Identifier: Apache-2.0
// Requests in the words of `gordian requests`: what time went to, and where it goes at each percentile.
import {count, counted, nanoseconds, percent} from "../../words.js";

export const kinds = ["run", "runnable", "behind", "disk", "lock", "thread", "peer", "network", "timer", "interrupt", "unknown"];
const words = {run: "runs: ", runnable: "ready for a CPU: ", behind: "behind others at ", disk: "waits for the disk ", lock: "waits for a lock of ", thread: "waits for ",
  peer: "waits for the peer ", network: "waits for a packet on its way", timer: "sleeps until a time", interrupt: "waits for an interrupt", unknown: "not known"};
export const kindWords = {run: "runs", runnable: "ready for a CPU", behind: "behind others", disk: "waits for a disk", lock: "waits for a lock", thread: "waits for a thread",
  peer: "waits for another server", network: "packet on its way", timer: "sleeps", interrupt: "waits for an interrupt", unknown: "not known"};

// "waits for a lock of compaction"
export function whatOf({kind, who}) {
  const begin = Object.hasOwn(words, kind) ? words[kind] : kind;
  return begin.endsWith(" ") ? begin + (who || "somebody") : begin;
}

// What was done meanwhile: "compaction waits for a disk"; by the one that `row` names: "it runs".
export function causeOf(cause, row) {
  const isIt = !cause.who || cause.who === row.who, who = isIt ? "it" : cause.who;
  switch (cause.kind) {
    case "run": return `${who} runs`;
    case "runnable": return `${who} is ready for a CPU`;
    case "behind": return `${who} is busy with others`;
    case "disk": return row.kind === "behind" ? "its disk" : `${who} waits for a disk`;
    case "lock": return row.kind === "lock" ? "others held it before" : `a lock of ${who}`;
    case "thread": return `waits for ${who}`;
    case "peer": return cause.who ? `waits for ${who}` : "not recorded there";
    case "network": return "packets on their way";
    case "timer": return isIt ? "sleeps until a time" : `${who} sleeps until a time`;
    case "interrupt": return "waits for an interrupt";
    default: return "not known";
  }
}

// Of one step, whose times are told with its own threads.
export function stepOf(step) {
  const own = step.kind === "run" || step.kind === "runnable" || step.kind === "unknown";
  const what = whatOf({kind: step.kind, who: own ? step.thread : step.waits_for});
  return step.cause ? `${what} (${causeOf({kind: step.cause, who: step.cause_thread}, {kind: step.kind, who: step.waits_for})})` : what;
}

export const quantileName = (quantile) => (quantile >= 1 ? "max" : "p" + Number((quantile * 100).toPrecision(6)));
const ordinal = (quantile) => (quantile >= 1 ? "The slowest" : quantile === 0.5 ? "The median" : `The ${Number((quantile * 100).toPrecision(6))}th percentile`);

export function portName(port) {
  const servers = port.servers.length ? ` (${port.servers.join(", ")})` : "";
  return (port.phase ? `phase ${port.phase}` : port.service || `port ${port.port}`) + servers;
}

const fewestForP99 = 100, leastShare = 0.01, leastCauseShare = 0.05;

export function headline(port) {
  const wanted = port.requests >= fewestForP99 ? 0.99 : 0.5;
  const told = port.percentiles.find((one) => one.quantile === wanted) ?? port.percentiles[0];
  if (!told) return `${portName(port)} answered no request.`;
  let text = `${ordinal(told.quantile)} of ${counted(port.requests, "request")} ${port.phase ? "of" : "to"} ${portName(port)} is ${nanoseconds(told.latency_ns)}`;
  const most = told.times[0];
  if (!most) return text + ".";
  text += `. ${percent(most.share)} of its time: ${whatOf(most)}`;
  const cause = most.causes[0];
  if (cause && cause.share >= leastCauseShare) text += ` (${percent(cause.share)} of that: ${causeOf(cause, most)})`;
  return text + ".";
}

export function about(port) {
  const name = portName(port);
  return `${name[0].toUpperCase()}${name.slice(1)}: ${counted(port.requests, "request")}, ${nanoseconds(port.mean_ns)} on average` +
    (port.open_at_once > 1 ? `, up to ${count(port.open_at_once)} open at once` : "") + (port.asked_by ? `, asked by ${port.asked_by_service || `port ${port.asked_by}`}` : "") + ".";
}

// What time went to, with its share at each percentile: [{what, kind, shares, causes: [{what, kind, shares}]}], most first. What is
// nowhere more than 1 % is in the last one, "others".
export function whereRows(port, mostRows = 12) {
  const rows = [], columns = port.percentiles.length;
  const rowOf = (list, what, kind) => {
    let row = list.find((one) => one.what === what);
    if (!row) list.push(row = {what, kind, shares: new Array(columns).fill(0), causes: []});
    return row;
  };
  port.percentiles.forEach((percentile, i) => {
    for (const time of percentile.times) {
      const row = rowOf(rows, whatOf(time), time.kind);
      row.shares[i] += time.share;
      for (const cause of time.causes) rowOf(row.causes, causeOf(cause, time), cause.kind).shares[i] += cause.share * time.share;
    }
  });
  const most = (row) => Math.max(0, ...row.shares), byMost = (a, b) => most(b) - most(a);
  rows.sort(byMost);
  const shown = rows.filter((row, i) => i < mostRows && most(row) >= leastShare), rest = rows.filter((row) => !shown.includes(row));
  for (const row of shown) row.causes = row.causes.filter((cause) => most(cause) >= leastCauseShare).sort(byMost);
  if (rest.length) shown.push({what: "(others)", kind: "unknown", causes: [], shares: rest.reduce((sum, row) => sum.map((share, i) => share + row.shares[i]), new Array(columns).fill(0))});
  return shown;
}

// A stretch with room around it, so that one sees what came before.
export function around(from, to, end = Infinity) {
  const room = Math.max(1000, Math.round((to - from) * 0.15));
  return {from: Math.max(0, from - room), to: Math.min(end, to + room)};
}
