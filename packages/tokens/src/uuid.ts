const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text is a UUID, of any version and in any case; the nil and the max UUID are. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
