// SPDX-License-Identifier: Apache-2.0
// Changes as an address holds them, what may be asked, and the axis on which predictions are drawn.
import {linear, logarithmic, logTicks, ticks} from "../ask/axes.js";

const mostChanges = 4;

// "async:db->disk vda", each on its own line; what is no change is left out.
export const changesOf = (text) => (text ?? "").split("\n").filter((line) => /^[a-z-]{2,20}:\S/.test(line)).slice(0, mostChanges);
export const changesText = (changes) => changes.slice(0, mostChanges).join("\n");
export const changeOf = (question) => `${question.option}:${question.argument}`;

// The parameters of the endpoint.
export function askedOf(changes, progress) {
  const parameters = {};
  changes.forEach((change, i) => { parameters[i === 0 ? "change" : `change${i + 1}`] = change; });
  if (progress) parameters.progress = progress;
  return parameters;
}

// "GainText" of the program: 2.0 times, 15 times.
export const gainWords = (gain) => (gain > 100 ? "more than 100 times" : `${gain < 10 ? gain.toFixed(1) : gain.toFixed(0)} times`);
export const shortGain = (gain) => (gain > 100 ? ">100×" : `${gain < 10 ? gain.toFixed(gain < 2 ? 2 : 1) : gain.toFixed(0)}×`);

// Questions of a page without a server: those that its findings were asked.
export function groupsOfReport(report) {
  return report.findings.filter((finding) => !finding.apart && (finding.predictions?.length || finding.no_prediction_because)).map((finding) => ({
    of: "finding", title: finding.title, finding: finding.rank, none_because: finding.predictions?.length ? "" : finding.no_prediction_because,
    questions: (finding.predictions ?? []).map((prediction) => ({change: prediction.change, condition: prediction.condition, advice: "", prediction, ...partsOf(prediction.change)})),
  }));
}
// "--async 'B->disk vda'" as {option, argument}.
export function partsOf(change) {
  const match = /^--([a-z-]+) (?:'([^]*)'|(\S+))$/.exec(change);
  return match ? {option: match[1], argument: (match[2] ?? match[3]).replaceAll("'\\''", "'")} : {option: "", argument: change};
}

const tellableGain = 1.03;  // as in output/prediction_text.h

// Of what is told with its lower end only: at least as much as before is no promise.
export const leastWords = ({low, expected}) => low >= tellableGain ? `at least ${gainWords(low)}` : `likely ${gainWords(expected)}`;

// An interval with its ends, whether it came from a replay just now or stands in the report.
// Where requests answer, the readings of threads are not what its ends come from.
export function intervalOf(answer) {
  return {low: answer.low, high: answer.high, expected: answer.expected, atLeast: Boolean(answer.at_least),
    readings: answer.requests ? [] : [answer.wait_alone && {gain: answer.wait_alone.gain, what: "alone"}, answer.with_path && {gain: answer.with_path.gain, what: "with path"},
      ...(answer.other_paths ?? []).map((one) => ({gain: one.gain, what: "or"}))].filter((one) => one && Number.isFinite(one.gain))};
}

// The axis that all intervals share: it holds 1, "as it is now". Gains of tens need a logarithmic one.
export function axisOf(intervals, begin, end) {
  const all = intervals.flatMap((one) => [one.low, one.high, one.expected, ...one.readings.map((reading) => reading.gain)]).filter((value) => Number.isFinite(value) && value > 0);
  const least = Math.min(1, ...all), most = Math.max(1, ...all), isLog = most / least > 8;
  const low = isLog ? Math.max(0.01, least / 1.15) : Math.max(0, least - Math.max(0.15, (most - least) * 0.12)), high = isLog ? most * 1.15 : most + Math.max(0.15, (most - least) * 0.12);
  const place = isLog ? logarithmic(low, high, begin, end) : linear(low, high, begin, end);
  return {low, high, isLog, place: (value) => Math.max(begin, Math.min(end, place(value))), ticks: isLog ? logTicks(low, high) : ticks(low, high, 7)};
}

// Two answers in a sentence: whether one surely gains more.
export function comparisonWords(a, b) {
  if (a.low > b.high) return `The first gains more: ${gainWords(a.expected)} against ${gainWords(b.expected)}, and their intervals are apart.`;
  if (b.low > a.high) return `The second gains more: ${gainWords(b.expected)} against ${gainWords(a.expected)}, and their intervals are apart.`;
  return `Their intervals overlap, so the recording does not tell which gains more: ${gainWords(a.expected)} and ${gainWords(b.expected)}.`;
}
