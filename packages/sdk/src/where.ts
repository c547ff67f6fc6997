import { MediaUsageError } from "./errors.js";
import { timeKey } from "./time.js";

/** Whether an entry meets all conditions of a search's `where`, with the contract's meaning of each. */
export function matches(where: object, entry: object): boolean {
  return Object.entries(where).every(([field, test]) => {
    const value = readField({ ...entry }, field);
    if (typeof test !== "object") return test === undefined || value === test;
    return holds(test, value, isTime(field) ? timeKey : (operand) => operand);
  });
}

const isTime = (field: string): boolean => field.endsWith("timestamp");

/** The value of a field, also of one that the contract derives from others; undefined if it is missing. */
export function readField(entry: Record<string, unknown>, field: string): unknown {
  const { status, outcome, channel_id, url, total_received_bytes: received, total_sent_bytes: sent } = entry;
  if (field === "failed") {
    if (typeof outcome === "string") return outcome !== "ok";
    return typeof status === "number" ? status === 0 || status >= 400 : undefined;
  }
  if (field === "channel") return typeof channel_id === "string" ? channel_id.replace(/@[^@]*$/, "") : undefined;
  if (field === "total_bytes") {
    return typeof received === "number" && typeof sent === "number" ? received + sent : undefined;
  }
  if (field === "from") return new URLSearchParams(/\?([^#]*)/.exec(String(url))?.[1]).get("from") ?? undefined;
  return isTime(field) ? timeKey(entry[field]) : entry[field];
}

function holds(test: object, value: unknown, read: (operand: unknown) => unknown): boolean {
  return Object.entries(test).every(([name, operand]) => {
    const inner = (part: object): boolean => holds(part, value, read);
    if (operand === undefined) return true;
    if (name === "any") return operand.some(inner);
    if (name === "all") return operand.every(inner);
    if (name === "not") return !inner(operand);
    const compare = Object.hasOwn(comparisons, name) && comparisons[name];
    if (!compare) throw new MediaUsageError(`Unknown test "${name}" in where.`);
    return [operand].flat().some((one) => {
      const other = read(one);
      // A field that is missing, or of another type, meets no comparison.
      return typeof value === typeof other && compare(value as string, other as string);
    });
  });
}

// Numbers and texts are compared with the same operators, and only with their like. The others are tests of texts.
const comparisons: Readonly<Record<string, (value: string, other: string) => boolean>> = {
  eq: (value, other) => value === other,
  gt: (value, other) => value > other,
  gte: (value, other) => value >= other,
  lt: (value, other) => value < other,
  lte: (value, other) => value <= other,
  contains: (value, other) => value.toLowerCase().includes(other.toLowerCase()),
  starts_with: (value, other) => value.startsWith(other),
  like,
};

/** Whether a text matches a pattern, in linear time: its pieces between the stars follow one another. */
function like(text: string, pattern: string): boolean {
  const pieces = [""];
  for (const token of pattern.match(/\\[\\*]|./gs) ?? []) {
    if (token === "*") pieces.push("");
    else pieces.push(pieces.pop() + token.slice(-1));
  }
  const last = pieces.pop() ?? "";
  if (pieces.length === 0) return text === last;
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const found = text.indexOf(piece, at);
    if (found < 0 || (index === 0 && found > 0)) return false;
    at = found + piece.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
