// SPDX-License-Identifier: Apache-2.0
// The requests of servers: how long they took, where their time went, and the slowest, step by step. A request leads to its
// stretch on the timeline.
import {button, chooser, make, nothing} from "../../elements.js";
import {gone} from "../../source_served.js";
import {count, nanoseconds, percent} from "../../words.js";
import {latencyPicture} from "./latencies.js";
import {slowestPart} from "./slowest.js";
import {legend, stagesBar} from "./stacked.js";
import {about, around, headline, portName, quantileName, whatOf, whereRows} from "./words.js";

const shownClasses = 8;

export const requests = {
  name: "requests", title: "Requests", key: "r", uses: ["range"],
  keys: [["↑/↓", "among the slowest: the next one"], ["Enter", "… its steps"], ["t", "… show it on the timeline"]],
  mount(root, app) {
    let told = null, phases = [], problem = null, asking = null;
    root.classList.add("requests");

    const isNarrowed = () => app.state["rq.range"] === "1";
    const question = () => ({slowest: 20, phase: app.state["rq.phase"] ?? null, ...(isNarrowed() ? {from: app.state.from, to: app.state.to} : {})});
    let askedFor = null;
    async function ask() {
      const wanted = JSON.stringify(question());
      askedFor = wanted;
      asking?.abort();
      asking = new AbortController();
      root.setAttribute("aria-busy", "true");
      if (!told) root.replaceChildren(nothing("Looking for requests in the packets…"));
      try {
        const answer = await app.source.ask("requests", question(), {signal: asking.signal});
        if (askedFor !== wanted) return;
        told = answer ?? {none_because: "This page holds no requests. `gordian serve` finds them in the recording."};
        problem = null;
      } catch (error) {
        if (gone(error) || askedFor !== wanted) return;
        [told, problem] = [null, error.message];
      }
      root.removeAttribute("aria-busy");
      show();
    }
    async function askPhases() {
      if (app.source.isStatic) return;
      const answer = await app.source.ask("query", {sql: "SELECT name, count(*) AS times FROM phase GROUP BY name ORDER BY times DESC LIMIT 50", rows: 50}).catch(() => null);
      phases = (answer?.rows ?? []).map(([name]) => name).filter((name) => typeof name === "string");
      show();
    }

    const setPhase = (phase) => app.set({"rq.phase": phase || null, "rq.port": null, "rq.open": null});
    function controls() {
      const ports = told?.ports ?? [], parts = [];
      if (phases.length) parts.push(chooser("Requests are", [["", "what packets ask"], ...phases.map((name) => [name, `phases “${name}”`])], app.state["rq.phase"] ?? "", setPhase, {id: "rq-phase"}));
      if (ports.length > 1) parts.push(make("div", {class: "choices", role: "group", "aria-label": "Servers"}, ports.map((port, i) =>
        button(port.phase ? portName(port) : `${port.service || port.port} ${port.servers[0] ?? ""}`, () => app.set({"rq.port": String(port.port), "rq.open": null}), {"aria-pressed": String(i === placeOfPort()), title: portName(port)}))));
      if (app.state.from !== null || isNarrowed()) parts.push(make("label", {class: "chooser"}, make("input", {type: "checkbox", id: "rq-range", checked: isNarrowed() ? "" : null,
        onchange: (event) => app.set({"rq.range": event.target.checked ? "1" : null, "rq.open": null})}), "only within the shown range"));
      return parts.length ? make("div", {class: "controls"}, parts) : null;
    }
    const placeOfPort = () => Math.max(0, (told?.ports ?? []).findIndex((port) => String(port.port) === app.state["rq.port"]));

    function show() {
      if (problem) return root.replaceChildren(...[controls(), nothing(problem)].filter(Boolean));
      if (!told) return;
      const port = told.ports?.[placeOfPort()];
      if (!port) return root.replaceChildren(...[controls(), nothing(noneBecause())].filter(Boolean));
      const opened = app.state["rq.open"] === undefined ? null : Number(app.state["rq.open"]);
      const focused = document.activeElement?.closest?.("[data-request]")?.dataset.request;
      root.replaceChildren(...[controls(), make("h2", {class: "sentence"}, headline(port)), make("p", {class: "quiet"}, about(port)),
        make("div", {class: "card part-of"}, latencyPicture(port), whereTable(port)), classesPart(port), slowestPart(port, opened, {
          hasTimeline: app.has("timeline"),
          open: (i) => {
            const request = port.slowest[i], isOpen = i === opened;
            app.set({"rq.open": isOpen ? null : String(i), ...(isOpen ? {} : selectionOf(request))});
          },
          step: (request, step) => app.set({sel: `thread:${step.thread_id ?? request.thread_id}`, at: step.from_ns}),
          look: (request) => app.has("timeline") && app.go("timeline", {...selectionOf(request), ...around(request.start_ns, request.answer_ns)}),
        }), doubts(told)].filter(Boolean));
      if (focused !== undefined) root.querySelector(`[data-request="${CSS.escape(focused)}"]`)?.focus();
    }
    // What the command line advises behind its semicolon is no advice here.
    function noneBecause() {
      if (!told.none_because) return "No request has a known thread.";
      const [why] = told.none_because.split("; "), first = `${why[0].toUpperCase()}${why.slice(1)}.`;
      if (app.source.isStatic) return told.none_because;
      return `${first} ${phases.length ? "But the program tells phases: choose them above as requests." : "Unix sockets and pipes leave no packets; a program's probes may tell its requests as phases."}`;
    }
    const selectionOf = (request) => ({...(request.thread_id !== null ? {sel: `thread:${request.thread_id}`} : {}), at: request.start_ns});

    ask();
    askPhases();
    return {
      update(state, changed) {
        if (changed.has("data") || JSON.stringify(question()) !== askedFor) ask();
        else if (["rq.port", "rq.open", "from", "to"].some((name) => changed.has(name))) show();
      },
      unmount: () => asking?.abort(),
    };
  },
};

function whereTable(port) {
  const cell = (share) => make("td", {class: "number share"}, share > 0 ? make("span", {class: "fill", style: {width: `${Math.min(100, share * 100)}%`}}) : null, make("span", null, share > 0 ? percent(share) : ""));
  const line = (row, isCause) => make("tr", {class: isCause ? "cause" : ""}, make("th", {scope: "row"}, make("i", {class: `part kind-${row.kind}`, "aria-hidden": "true"}), row.what), row.shares.map(cell));
  return make("div", {class: "scroll"}, make("table", {class: "where"},
    make("thead", null, make("tr", null, make("th", {scope: "col"}, "where the time goes"), port.percentiles.map((one) => make("th", {scope: "col", class: "number"}, quantileName(one.quantile)))),
      make("tr", {class: "latency"}, make("th", {scope: "row"}, "latency"), port.percentiles.map((one) => make("td", {class: "number"}, nanoseconds(one.latency_ns))))),
    make("tbody", null, whereRows(port).flatMap((row) => [line(row, false), ...row.causes.map((cause) => line(cause, true))]))));
}

function classesPart(port) {
  if (port.classes.length < 1) return null;
  const shown = port.classes.slice(0, shownClasses), present = new Set(port.classes.flatMap((one) => one.stages.map((stage) => stage.kind)).concat(port.slowest.flatMap((one) => one.times.map((time) => time.kind))));
  return make("div", {class: "card part-of"}, make("h2", null, port.classes_in_all === 1 ? "All go one way" : `The ways they go`), legend(present),
    make("ul", {class: "ways"}, shown.map((one) => make("li", null, make("b", {class: "number"}, percent(one.requests / Math.max(1, port.requests))), stagesBar(one.stages),
      make("span", {class: "quiet"}, `${count(one.requests)} · ${one.stages.map((stage) => `${whatOf(stage)} ${nanoseconds(stage.mean_ns)}`).slice(0, 6).join(" → ")}${one.stages.length > 6 ? " → …" : ""}`)))),
    port.classes_in_all > shown.length ? make("p", {class: "quiet"}, `${count(port.classes_in_all)} ways in all; these are the most frequent.`) : null);
}

function doubts(told) {
  const parts = told.counters.map((counter) => `${counter.name.replaceAll("_", " ")}: ${count(counter.value)}`);
  return make("p", {class: "quiet rule"}, told.found_by === "phases" ? "A request is a phase that the program told: these times are exact. " : "A request lasts from the first data that reaches the server's machine to the first data back. ",
    "A percentile's shares are of the requests next to it.", parts.length ? ` Not exact because of: ${parts.join("; ")}. \`gordian requests\` says what helps.` : "");
}
