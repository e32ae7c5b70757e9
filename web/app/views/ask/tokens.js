// SPDX-License-Identifier: Apache-2.0
// SQL cut into its parts: as much of its grammar as completion, placeholders and errors need.

// Kinds: word, quoted (a name in quotes), text, number, placeholder, comment, mark. `open`: it ends with the text.
const parts = [
  ["comment", /--[^\n]*|\/\*[^]*?(?:\*\/|$)/y],
  ["text", /'(?:[^']|'')*(?:'|$)/y],
  ["quoted", /"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)/y],
  ["placeholder", /:[a-z_][a-z0-9_]*/iy],
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy],
  ["word", /[\p{L}_$][\p{L}\p{N}_$]*/uy],
  ["mark", /\S/y],
];

export function tokens(sql) {
  const found = [];
  for (let at = 0; at < sql.length;) {
    let length = 1;
    for (const [kind, pattern] of parts) {
      pattern.lastIndex = at;
      const match = pattern.exec(sql);
      if (!match) continue;
      length = match[0].length;
      found.push({kind, text: match[0], from: at, to: at + length});
      break;
    }
    at += length;
  }
  return found;
}

// A name as it is meant: without its quotes, in small letters.
export const nameOf = (token) => (token.kind === "quoted" ? token.text.slice(1, -1) : token.text).toLowerCase();
