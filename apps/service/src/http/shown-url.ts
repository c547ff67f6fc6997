import { redact } from "../secrets/redact.js";

// Enough for every address that we offer. A caller must not fill a disk by making its own longer.
const MAX_URL_BYTES = 512;

/** An address as the logs show it: without secrets, and at most 512 bytes long in UTF-8. */
export function shownUrl(url: string): string {
  // Secrets go first: a cut could leave a part of one that is no longer recognised.
  const bytes = Buffer.from(redact(url));
  if (bytes.length <= MAX_URL_BYTES) return bytes.toString();
  let end = MAX_URL_BYTES;
  while (isContinuation(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** Whether a byte goes on with a character that began before it. */
const isContinuation = (byte = 0): boolean => (byte & 0b1100_0000) === 0b1000_0000;
