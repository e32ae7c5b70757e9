// SPDX-License-Identifier: Apache-2.0
// The nodes of a session whose recordings stay where they lie: what each one's session does, how long it is, what limits it as
// seen from there. A node is asked when its row is seen, and leads on to its report and its timeline.
import {button, make, nothing} from "../../elements.js";
import {count, quantity, seconds} from "../../words.js";
import {askedRows} from "./asked_rows.js";

const columns = ["Node", "State", "Length", "Threads", "Events", "Size", "What limits it, as seen from there", ""];

export const nodes = {
  name: "nodes", title: "Nodes", key: "d", uses: [], onlyNodes: true, keys: [["Tab, Enter", "a node's report or timeline"]],
  mount(root, app) {
    let stopped = false;
    const body = make("tbody"), note = make("p", {class: "quiet"});
    root.classList.add("nodes");
    root.append(nothing("Asking which nodes there are…"));
    const rows = askedRows(app.source, (row) => { if (!stopped) show(row); });
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) {
        seen.unobserve(entry.target);
        rows.ask(Number(entry.target.dataset.recording));
      }
    });
    const open = (number, view) => app.set({recording: number, view, sel: null, at: null, phase: null, from: null, to: null, frame: null});

    function cellsOf(row) {
      const {state, brief, error} = row, isAway = error !== "" && state === null;
      const length = brief ? brief.length_ns / 1e9 : state?.seconds;
      const words = error || (brief ? brief.words : "Reading its recording…");
      return [make("th", {scope: "row"}, row.name), state ? state.state : isAway ? "does not answer" : "…", length ? seconds(length) : "", brief ? count(brief.threads) : "",
        brief || state?.events ? count((brief ?? state).events) : "", state ? quantity(state.bytes, "B") : "", make("span", {class: error ? "bad" : ""}, words),
        make("span", {class: "acts"}, isAway ? "" : [button("Report", () => open(row.number, "overview")), button("Timeline", () => open(row.number, "timeline"))],
          button("Ask again", () => rows.askAgain(row.number), {title: "Ask this node again: what was recorded since counts, too"}))];
    }
    function show(row) {
      const element = body.querySelector(`[data-recording="${row.number}"]`);
      element?.replaceChildren(...cellsOf(row).map((cell) => (cell instanceof Element && cell.tagName === "TH" ? cell : make("td", null, cell))));
    }

    app.source.recordings().then((list) => {
      if (stopped) return;
      const there = list.filter((one) => one.kind === "node");
      for (const one of there) {
        const element = make("tr", {"data-recording": one.number});
        body.append(element);
        show(rows.add(one));
        seen.observe(element);
      }
      note.replaceChildren("Each node answers for its own recording; a slice in a timeline goes on from node to node. Findings, critical paths, participation and traffic of all nodes need their recordings at once: ",
        make("code", null, app.source.instead), ", or ", make("code", null, "srun gordian-mpi analyze"), " where they lie.");
      root.replaceChildren(make("div", {class: "scroll"}, make("table", null, make("thead", null, make("tr", null, columns.map((name) => make("th", {scope: "col"}, name)))), body)), note);
    }, (error) => root.replaceChildren(nothing(error.message)));
    return {update() {}, unmount() { stopped = true; seen.disconnect(); rows.stop(); }};
  },
};
