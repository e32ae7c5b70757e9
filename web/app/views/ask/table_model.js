// SPDX-License-Identifier: Apache-2.0
// The rows of an answer, sorted by any column without being moved: `order` says which row is where.

export function tableModel(answer) {
  const {columns, rows} = answer;
  const kinds = columns.map((_, column) => kindOf(rows, column));
  const model = {
    columns: columns.map((column, i) => ({...column, numeric: kinds[i] === "number", kind: kinds[i]})),
    rows, order: Uint32Array.from(rows, (_, i) => i), sortedBy: null, down: false,
    get length() { return rows.length; },
    row: (place) => rows[model.order[place]],
    // The same column once more turns the order around, and the third time brings back the answer's own.
    sortBy(column) {
      if (model.sortedBy === column && model.down !== model.columns[column].numeric) [model.sortedBy, model.down] = [null, false];
      else if (model.sortedBy === column) model.down = !model.down;
      else [model.sortedBy, model.down] = [column, model.columns[column].numeric];
      model.order = model.sortedBy === null ? Uint32Array.from(rows, (_, i) => i) : sorted(rows, column, model.down, kinds[column]);
    },
    // Where a row of the answer is now.
    placeOf: (row) => model.order.indexOf(row),
  };
  return model;
}

// number, text, or none where nothing is but nulls.
function kindOf(rows, column) {
  let kind = "none";
  for (const row of rows) {
    const cell = row[column];
    if (cell === null) continue;
    if (typeof cell !== "number" && !isLarge(cell)) return "text";
    kind = "number";
  }
  return kind;
}

// Whole numbers beyond what a number of JavaScript holds come as text in an object: {"whole": "9223372036854775807"}.
export const isLarge = (cell) => typeof cell === "object" && cell !== null && typeof cell.whole === "string";
export const numberOf = (cell) => (isLarge(cell) ? Number(cell.whole) : typeof cell === "number" ? cell : NaN);
export const textOf = (cell) => (cell === null || cell === undefined ? "" : isLarge(cell) ? cell.whole : String(cell));

// Equal ones stay in the answer's order; nulls come last whichever way.
function sorted(rows, column, down, kind) {
  const order = Uint32Array.from(rows, (_, i) => i), sign = down ? -1 : 1;
  const isNull = (i) => rows[i][column] === null;
  if (kind === "text") {
    const texts = rows.map((row) => textOf(row[column]));
    return order.sort((a, b) => isNull(a) - isNull(b) || sign * (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0) || a - b);
  }
  const numbers = Float64Array.from(rows, (row) => numberOf(row[column]));
  return order.sort((a, b) => isNull(a) - isNull(b) || (isNull(a) ? 0 : sign * (numbers[a] - numbers[b])) || a - b);
}

// As `gordian query --csv` writes it.
const field = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const exact = (cell) => (typeof cell === "number" && !Number.isInteger(cell) ? String(Number(cell.toPrecision(15))) : textOf(cell));
export function csvOf(model) {
  const lines = [model.columns.map((column) => field(column.title)).join(",")];
  for (let place = 0; place < model.length; ++place) lines.push(model.row(place).map((cell) => field(exact(cell))).join(","));
  return lines.join("\n") + "\n";
}
