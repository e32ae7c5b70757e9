// SPDX-License-Identifier: Apache-2.0
// Where in the job one is, and what is known of the phase there.
import {button, make} from "../../elements.js";
import {count, percent, quantity, seconds, share} from "../../words.js";
import {groupedBy, heldWords, lengthOf, parentOf, partOf, plainResourceName, resourceName, typeParentOf} from "./model.js";
import {go} from "./shown.js";

export function crumbs(job) {
  const steps = [];
  for (let at = job.shown.focus; at; at = parentOf(job, at)) {
    const here = at;
    steps.unshift(make("button", {type: "button", disabled: here === job.shown.focus && job.shown.type === null, onclick: () => go(job, {focus: here})}, partOf(here)));
  }
  const kinds = [];
  for (let at = job.phaseTypes.get(job.shown.type); at && at.id !== job.shown.focus.type; at = typeParentOf(job, at)) {
    const here = at.id;
    kinds.unshift(make("button", {type: "button", class: "kind", disabled: here === job.shown.type, onclick: () => go(job, {type: here})}, "all " + at.name));
  }
  const parts = [...steps, ...kinds], between = () => make("span", {"aria-hidden": "true"}, "›");
  return parts.flatMap((part, i) => (i === 0 ? [part] : [between(), part]));
}

// What one phase used and what held it back; those of many nodes together.
export function phaseFacts(job, focus) {
  const type = job.phaseTypes.get(focus.type), known = (one) => one.phase === focus.id && job.resourceOf.has(one.resource);
  const alike = (list, keyOf) => [...groupedBy(list.map((one) => ({...one, of: job.resourceOf.get(one.resource)})), keyOf).values()];
  const uses = job.report.attribution.filter(known), apart = uses.length <= 8;
  const used = alike(uses, (one) => (apart ? one.resource : plainResourceName(one.of))).slice(0, 8).map((list) => {
    const {of} = list[0], use = list.reduce((all, one) => all + one.use, 0), measured = list.reduce((all, one) => all + one.measured, 0);
    return ["used " + (list.length > 1 ? plainResourceName(of) : resourceName(of)), quantity(share(use, lengthOf(focus)), of.unit) + " on average" +
      (list.length > 1 ? `, on ${count(list.length)} nodes together` : "") + (measured > 0.99 * use ? ", measured" : measured > 0 ? ", partly measured" : ", estimated")];
  });
  const held = alike(job.report.bottlenecks.filter(known).sort((a, b) => b.time_s - a.time_s), (one) => one.kind + plainResourceName(one.of)).slice(0, 6).map((list) =>
    [heldWords[list[0].kind] || list[0].kind, `${resourceName(list[0].of)}, ${percent(list[0].share)} of its time` + (list.length > 1 ? `, and ${count(list.length - 1)} more of other nodes` : "")]);
  const place = [focus.node, focus.pid ? `process ${focus.pid}` : "", focus.tid ? `thread ${focus.tid}` : ""].filter(Boolean).join(", ");
  return make("dl", {class: "facts"},
    [["lasted", seconds(lengthOf(focus)) + (type && type.count > 1 ? `, its kind on average ${seconds(type.mean_s)}` : "")],
     place ? ["ran", [place, threadLink(job, focus)]] : null,
     ...used, ...held].filter(Boolean).map(([word, value]) => [make("dt", null, word), make("dd", null, value)]));
}

// To its thread, which all views then show, if there is just one of that number.
function threadLink(job, focus) {
  const threads = focus.tid ? job.report.threads.filter((one) => one.tid === focus.tid && one.pid === focus.pid) : [];
  return threads.length === 1 ? [" ", button("select it", () => job.app.set({sel: `thread:${threads[0].id}`, at: null}), {class: "plain"})] : null;
}
