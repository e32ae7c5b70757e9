// SPDX-License-Identifier: Apache-2.0
// Bytes that stand in a page as text.
export function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// The JSON behind {gzip: base64}.
export function unpacked({gzip}) {
  return new Response(new Blob([bytesOf(gzip)]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
