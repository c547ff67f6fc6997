/** Stands for a field that is not there. */
export const gone = Symbol("gone");

/** What something is after one change, at a JSON pointer. */
export function changed(value: unknown, pointer: string, to: unknown): unknown {
  if (pointer === "") return to;
  const [, key = "", ...rest] = pointer.split("/");
  const inner = ["", ...rest].join("/");
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    copy[Number(key)] = changed(copy[Number(key)], inner, to);
    return copy;
  }
  const copy: Record<string, unknown> = { ...(typeof value === "object" ? value : undefined) };
  copy[key] = changed(copy[key], inner, to);
  if (copy[key] === gone) delete copy[key];
  return copy;
}

/** Pointers to all that is in something; of a long list, to its first and its last item. */
export function* pointersIn(value: unknown, pointer = ""): Generator<{ pointer: string; value: unknown }> {
  yield { pointer, value };
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
  for (const [index, [key, inner]] of entries.entries()) {
    if (!Array.isArray(value) || index === 0 || index === entries.length - 1) {
      yield* pointersIn(inner, `${pointer}/${key}`);
    }
  }
}
