// SPDX-License-Identifier: Apache-2.0
// The one selection that all views share, and its address. The address is the fragment: #view=timeline&from=…&sel=thread:12,
// so that a colleague who opens it sees the same. What is as usual is left out. Whatever an address says that is unknown,
// or no value of its field, is ignored: addresses come by mail and from older versions.
export const levels = ["thread", "process", "container", "node", "rack", "vertex"];
export const measures = ["cpu", "waits", "bytes", "participation", "threads"];

const mostText = 8000;  // a question in SQL fits; a longer address is cut off by mail programs anyway
const number = (value) => (typeof value === "number" ? Number.isFinite(value) && value >= 0 && value < 1e16
  : /^\d{1,15}$/.test(value)) ? Math.round(Number(value)) : undefined;
const oneOf = (choices) => (value) => (choices.includes(value) ? value : undefined);
const text = (value) => (typeof value === "string" && value.length <= mostText ? value : undefined);
const matching = (pattern) => (value) => (typeof value === "string" && pattern.test(value) ? value : undefined);
const selection = /^(?:(?:thread|process|container|node|rack|device|vertex|phase|request):\d{1,15}|edge:\d{1,15}>\d{1,15})$/;

// usual: what it is where nothing is said. read: the value, of an address's text or of what a view set; undefined if it is none.
const fields = {
  view: {usual: "overview", read: matching(/^[a-z]{1,20}$/)},
  recording: {usual: 0, read: number},
  compared: {usual: null, read: number},
  level: {usual: "thread", read: oneOf(levels)},
  filter: {usual: "", read: text},
  from: {usual: null, read: number},  // ns since the recording's start; null: from its start
  to: {usual: null, read: number},
  frame: {usual: null, read: number},
  window: {usual: null, read: number},  // ns
  what: {usual: "cpu", read: oneOf(measures)},
  sel: {usual: null, read: matching(selection)},
  at: {usual: null, read: number},  // ns
  phase: {usual: null, read: number},
  pin: {usual: null, read: number},  // of a live recording: the number of the moment at which it is looked at; null: now
};
// A view's own choices, behind its own prefix: tl.sort. They are texts.
const privateName = /^[a-z]{1,12}\.[a-z0-9_]{1,24}$/;
const mostPrivate = 40;

const usualState = (usualView) => Object.fromEntries(Object.entries(fields).map(([name, field]) =>
  [name, name === "view" && usualView ? usualView : field.usual]));

// A range that is none is no range.
function withRange(state) {
  if (state.from !== null && state.to !== null && state.to <= state.from) state.from = state.to = null;
  return state;
}

// `usualView`: what is shown where the address names no view.
export function readAddress(fragment, usualView) {
  const state = usualState(usualView);
  let privates = 0;
  for (const [name, words] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    if (Object.hasOwn(fields, name)) {
      const value = fields[name].read(words);
      if (value !== undefined) state[name] = value;
    } else if (privateName.test(name) && text(words) !== undefined && ++privates <= mostPrivate) {
      state[name] = words;
    }
  }
  return withRange(state);
}

// Readable: of what a fragment may contain nothing is written as %XX.
const written = (value) => encodeURIComponent(value).replace(/%20/g, "+").replace(/%(3A|2F|2C|3B|40|24)/g, decodeURIComponent);

export function writeAddress(state, usualView) {
  const usual = usualState(usualView), words = [];
  const names = [...Object.keys(fields), ...Object.keys(state).filter((name) => privateName.test(name)).sort()];
  for (const name of names) {
    const value = state[name] ?? null;
    if (value === (usual[name] ?? null)) continue;
    words.push(`${name}=${written(value)}`);
  }
  return words.join("&");
}

// The state with those changes; null means as usual. What is no value of its field changes nothing.
export function merged(state, changes) {
  const next = {...state};
  for (const [name, value] of Object.entries(changes)) {
    if (Object.hasOwn(fields, name)) {
      const read = value === null || value === undefined ? fields[name].usual : fields[name].read(value);
      if (read !== undefined) next[name] = read;
    } else if (privateName.test(name)) {
      if (value === null || value === undefined || value === "") delete next[name];
      else if (text(String(value)) !== undefined) next[name] = String(value);
    }
  }
  return withRange(next);
}

export function differences(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Set([...names].filter((name) => (before[name] ?? null) !== (after[name] ?? null)));
}

// "thread:12" as {kind: "thread", id: 12}; "edge:1>2" as {kind: "edge", from: 1, to: 2}; null for nothing.
export function selected(sel) {
  if (typeof sel !== "string" || !selection.test(sel)) return null;
  const [kind, id] = sel.split(":");
  if (kind !== "edge") return {kind, id: Number(id)};
  const [from, to] = id.split(">").map(Number);
  return {kind, from, to};
}
