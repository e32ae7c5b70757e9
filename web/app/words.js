// SPDX-License-Identifier: Apache-2.0
// Numbers as one would say them. All views say them the same way.
export const trimmed = (value) => value.toFixed(1).replace(/\.0$/, "");
export function seconds(value) {
  if (!(value > 0)) return "0 s";
  if (value < 1e-6) return Math.round(value * 1e9) + " ns";
  if (value < 0.99995e-3) return trimmed(value * 1e6) + " µs";
  if (value < 0.99995) return trimmed(value * 1e3) + " ms";
  if (value < 59.95) return trimmed(value) + " s";
  const whole = Math.round(value), minutes = Math.floor(whole / 60);
  if (minutes < 60) return minutes + " min" + (whole % 60 > 0 ? ` ${whole % 60} s` : "");
  return Math.floor(minutes / 60) + " h" + (minutes % 60 > 0 ? ` ${minutes % 60} min` : "");
}
// A moment, told so exactly that moments `step` apart differ.
export function secondsIn(value, step) {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  if (!(value > 0)) return "0 s";
  if (value >= 59.95) {
    const minutes = Math.floor(value / 60), rest = value - 60 * minutes;
    return step >= 60 ? seconds(value) : `${minutes} min ${rest.toFixed(digits)} s`;
  }
  const [scale, unit] = value < 0.99995e-3 ? [6, "µs"] : value < 0.99995 ? [3, "ms"] : [0, "s"];
  return (value * 10 ** scale).toFixed(Math.max(0, digits - scale)) + " " + unit;
}
// An amount of something: 1.1 MiB/s, 0.8 cores.
export function quantity(value, unit) {
  const thousand = unit.startsWith("B") ? 1024 : 1000, prefixes = ["", "k", "M", "G", "T"];
  const power = value < 10 * 1000 && thousand === 1000 ? 0 : Math.min(4, Math.max(0, Math.floor(Math.log(value) / Math.log(thousand))));
  const scaled = value / thousand ** power, prefix = power && thousand === 1024 ? prefixes[power].toUpperCase() + "i" : prefixes[power];
  const number = value > 0 && scaled < 0.095 ? String(Number(value.toPrecision(1))) : trimmed(scaled);
  const one = number === "1" && !prefix && /^[a-z]{3,}s$/.test(unit);
  return prefix || unit ? `${number} ${prefix}${one ? unit.slice(0, -1) : unit}` : number;
}
const grouped = new Intl.NumberFormat("en-US");
export const count = (value) => grouped.format(value);
export function percent(share) {
  if (share === null || !Number.isFinite(share)) return "?";
  const value = share * 100;
  if (value > 0 && value < 0.1) return "under 0.1 %";
  return (value < 0.95 && value > 0 ? value.toFixed(1) : value.toFixed(0)) + " %";
}
export function gain(value) {
  if (value === null || value > 100) return "more than 100×";
  return value > 1 ? (value < 10 ? value.toFixed(1) : value.toFixed(0)) + "×" : "none";
}
// Made when it is first asked for.
export function lazily(make) {
  let made;
  return () => (made ??= make());
}
export const share = (part, whole) => (whole > 0 ? part / whole : 0);
// Nanoseconds, as the state and the answers of a server count.
export const nanoseconds = (ns) => seconds(ns / 1e9);
export const nanosecondsIn = (ns, step_ns) => secondsIn(ns / 1e9, step_ns / 1e9);
export const shorten = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);
// One thing, two things.
export const counted = (number, one, several = one + "s") => `${count(number)} ${number === 1 ? one : several}`;
