// SPDX-License-Identifier: Apache-2.0
// Where an error is: SQLite counts bytes, an editor counts characters, a person lines.

const bytesOf = (character) => {
  const code = character.codePointAt(0);
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
};

// The place in the text, of a place in its bytes; −1 stays −1.
export function placeOfByte(text, offset) {
  if (!(offset >= 0)) return -1;
  let bytes = 0, place = 0;
  for (const character of text) {
    if (bytes >= offset) return place;
    bytes += bytesOf(character);
    place += character.length;
  }
  return place;
}

// {line, column, from, to}: both counted from 1; from … to is the word that begins there.
export function placeOf(text, place) {
  const before = text.slice(0, place), line = before.split("\n").length;
  const word = /^(?:[\p{L}\p{N}_$]+|\S)/u.exec(text.slice(place));
  return {line, column: [...before.slice(before.lastIndexOf("\n") + 1)].length + 1, from: place, to: place + (word ? word[0].length : 0)};
}
