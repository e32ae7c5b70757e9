// SPDX-License-Identifier: Apache-2.0
// The colours of style/colours.css for what is drawn on a canvas. Ask again when the scheme changes: `onSchemeChange`.
// States of a thread differ in lightness as well as in hue, and what waits for a device or is unknown is hatched, so that
// nobody needs to tell red from green.
export const states = ["run", "ready", "wait", "spin", "unknown"];
export const stateWords = {run: "runs", ready: "wants a CPU", wait: "waits", disk: "waits for a disk", net: "waits for the network",
  lock: "waits for a lock", timer: "sleeps", spin: "spins", unknown: "unknown"};

const dark = () => matchMedia("(prefers-color-scheme: dark)");

// (name) => the colour of --name, as the page shows it now.
export function colours() {
  const style = getComputedStyle(document.documentElement), known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, style.getPropertyValue(name.startsWith("--") ? name : "--" + name).trim());
    return known.get(name);
  };
}

// Calls `act` when the page becomes dark or light; the result ends that.
export function onSchemeChange(act) {
  const scheme = dark();
  scheme.addEventListener("change", act);
  return () => scheme.removeEventListener("change", act);
}

// The fill of a state on a canvas: a colour, or a hatched pattern. `colour` is what colours() gave.
export function stateFill(context, state, colour) {
  const plain = colour("--state-" + state);
  return ["disk", "net", "unknown"].includes(state) ? hatched(context, plain, colour("--card"), state === "net") : plain;
}

// Stripes, at `other` as dots.
export function hatched(context, colour, ground, dots) {
  const size = 6, tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  ink.fillStyle = colour;
  ink.fillRect(0, 0, size, size);
  ink.strokeStyle = ink.fillStyle = ground;
  ink.globalAlpha = 0.55;
  if (dots) {
    ink.fillRect(1, 1, 2, 2);
    ink.fillRect(4, 4, 2, 2);
  } else {
    ink.lineWidth = 1.5;
    for (const shift of [-size, 0, size]) {
      ink.beginPath();
      ink.moveTo(shift, size);
      ink.lineTo(shift + size, 0);
      ink.stroke();
    }
  }
  return context.createPattern(tile, "repeat");
}

// Kinds without an order of their own (phases, nodes, programs): Okabe and Ito's seven colours, then again.
export const shades = 7;
export const shade = (i) => "--shade" + (i % shades);
