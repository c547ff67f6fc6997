/**
 * Reads a body as text. Counts its bytes after decompression and gives undefined as soon as there are more than
 * `maxBytes`, so that a small gzip cannot fill the memory.
 */
export async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const { body } = response;
  // Some replacements for fetch have no stream, or one of their own kind.
  if (typeof body?.getReader !== "function") {
    const text = await response.text();
    return new TextEncoder().encode(text).length > maxBytes ? undefined : text;
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > maxBytes) {
      // Not awaited: a clone of the response may keep the stream open. How the cancellation ends changes nothing.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
