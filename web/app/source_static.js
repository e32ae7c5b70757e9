// SPDX-License-Identifier: Apache-2.0
// The source of a report in one file: its data stands in the page. Nobody is asked for anything.
import {bytesOf} from "./bytes.js";
import {questionOf} from "./question.js";

// `leftOut`: how many answers found no room in the file.
// `data`: the page's (schema/listings.proto: PageData). `answers`: {question: JSON, or {base64: "…"} for bytes}.
export function staticSource(data, answers = {}, leftOut = 0) {
  const recording = data.report.recording || {};
  return {
    isStatic: true, isLive: false, isOfNodes: false, leftOut,
    recordings: () => Promise.resolve([{number: 0, name: recording.name || "this recording", kind: "stored", state: "ready", progress: 1, seconds: recording.seconds || 0}]),
    // Whether any answer of one of these endpoints is here.
    holds: (endpoints) => Object.keys(answers).some((question) => endpoints.includes(question.split("?")[0])),
    // The answer; null where the report does not hold it.
    ask(endpoint, parameters, {binary = false} = {}) {
      if (endpoint === "page") return Promise.resolve(data);
      const question = questionOf(endpoint, parameters);
      if (!Object.hasOwn(answers, question)) return Promise.resolve(null);
      const answer = answers[question];
      return Promise.resolve(binary ? bytesOf(answer.base64).buffer : answer);
    },
  };
}
