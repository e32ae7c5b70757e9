// SPDX-License-Identifier: Apache-2.0
// What is asked, written the same way by everyone: "tiles?from=0&to=9", names sorted, nothing for what is not said. A report
// in one file holds its answers by this name.
export function questionOf(endpoint, parameters = {}) {
  const words = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return words.length ? `${endpoint}?${words.join("&")}` : endpoint;
}
