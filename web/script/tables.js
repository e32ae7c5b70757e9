// SPDX-License-Identifier: Apache-2.0
// Tables that sort and filter. Of thousands of rows a hundred are made; the rest on demand.
const rowsAtOnce = 100;

// columns: {title, value(row), text(row), numeric}; open(row) is what a click does, if anything.
function sortableTable(columns, rows, sortedBy, open) {
  let by = sortedBy, down = columns[sortedBy].numeric === true, most = rowsAtOnce, wanted = "";
  let words = null;  // of every row, made when somebody filters
  const body = make("tbody"), foot = make("button", {type: "button"}), told = make("span", {class: "quiet"});
  const heads = columns.map((column, i) => make("th", {class: column.numeric ? "number" : ""},
    make("button", {type: "button", onclick: () => { down = by === i ? !down : column.numeric === true; by = i; update(); }}, column.title)));
  const filter = make("input", {type: "search", placeholder: "Filter", "aria-label": "Filter",
    oninput: (event) => { wanted = event.target.value.toLowerCase(); most = rowsAtOnce; update(); }});
  foot.onclick = () => { most += 10 * rowsAtOnce; update(); };

  function update() {
    const value = columns[by].value, sign = down ? -1 : 1;
    if (wanted !== "") words ??= rows.map((row) => columns.map((column) => column.text(row)).join("\u0000").toLowerCase());
    const found = rows.filter((row, i) => wanted === "" || words[i].includes(wanted));
    found.sort((a, b) => { const x = value(a), y = value(b); return sign * (x < y ? -1 : x > y ? 1 : 0); });
    body.replaceChildren(...found.slice(0, most).map((row) => make("tr", open ? {class: "open", tabindex: 0, onclick: () => open(row), onkeydown: (event) => event.key === "Enter" && open(row)} : null,
      columns.map((column) => make("td", {class: column.numeric ? "number" : ""}, column.text(row))))));
    heads.forEach((head, i) => i === by ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
    told.textContent = found.length === rows.length ? `${count(rows.length)} rows` : `${count(found.length)} of ${count(rows.length)} rows`;
    foot.hidden = found.length <= most;
    foot.textContent = `Show more of the ${count(found.length - most)} left`;
  }
  update();
  return [make("div", {class: "filter"}, filter, told),
          make("div", {class: "scroll"}, make("table", null, make("thead", null, make("tr", null, heads)), body), foot)];
}

const textColumn = (name, value) => ({title: name, value: (row) => String(value(row)).toLowerCase(), text: (row) => String(value(row))});
const numberColumn = (name, value, text) => ({title: name, value, text: (row) => text(value(row)), numeric: true});

function edgeTable() {
  return sortableTable([
    textColumn("Who waits", (edge) => nameOf(edge.from)), textColumn("for whom", (edge) => nameOf(edge.to)),
    numberColumn("weight", (edge) => edge.weight_s, seconds), numberColumn("own", (edge) => edge.own_s, seconds),
    numberColumn("handed on", (edge) => Math.max(0, edge.weight_s - edge.own_s), seconds),
    numberColumn("waits", (edge) => edge.count, count), numberColumn("longest", (edge) => edge.longest_s, seconds),
  ], edges, 2, (edge) => { choose({edge: key(edge.from, edge.to)}); scrollTo({top: 0, behavior: "smooth"}); });
}

function threadTable() {
  const vertexOf = new Map();
  for (const vertex of report.vertices) for (const member of vertex.members) vertexOf.set(member, vertex.id);
  return sortableTable([
    textColumn("Thread", (thread) => thread.name), textColumn("process", (thread) => thread.process),
    numberColumn("tid", (thread) => thread.tid, String), numberColumn("ran", (thread) => thread.run_s, seconds),
    numberColumn("wanted a CPU", (thread) => thread.runnable_s, seconds), numberColumn("waited", (thread) => thread.wait_s, seconds),
    numberColumn("spun", (thread) => thread.spin_s, seconds), numberColumn("unknown", (thread) => thread.unknown_s, seconds),
  ], report.threads, 3, (thread) => {
    if (!vertexOf.has(thread.id)) return;
    choose({vertex: vertexOf.get(thread.id)});
    scrollTo({top: 0, behavior: "smooth"});
  });
}

const counterTable = () => sortableTable([
  textColumn("Counter", (counter) => counter.name), numberColumn("value", (counter) => counter.value, count),
  textColumn("kind", (counter) => counter.severity), textColumn("what to do", (counter) => counter.advice),
], report.counters, 2);

const nameTable = () => sortableTable([textColumn("What would give more names", (note) => note)], report.missing_names, 0);

const stepTable = () => sortableTable([
  {title: "Step", value: (step) => report.explain.indexOf(step), text: (step) => step.action}, textColumn("what", (step) => step.text),
  numberColumn("weight", (step) => step.weight_s, seconds),
], report.explain, 0);

function prepareLists() {
  const lists = [["Waits", edgeTable, edges.length], ["Threads", threadTable, report.threads.length],
                 ["Counters", counterTable, report.counters.length],
                 ["Missing names", nameTable, report.missing_names.length], ["Steps", stepTable, report.explain.length]].filter((list) => list[2] > 0);
  const tabs = document.getElementById("tabs"), place = document.getElementById("list");
  const show = (chosenTab) => {
    [...tabs.children].forEach((tab, i) => tab.setAttribute("aria-selected", i === chosenTab));
    place.replaceChildren(...lists[chosenTab][1]());
  };
  tabs.append(...lists.map(([name, , length], i) => make("button", {type: "button", role: "tab", onclick: () => show(i)}, `${name} (${count(length)})`)));
  if (lists.length > 0) show(0);
  else document.getElementById("lists").hidden = true;
}
