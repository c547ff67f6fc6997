import { type FieldSpec, fieldNamed } from "../filters/fields.js";
import { readFilter } from "../filters/read-filter.js";
import type { LogKind } from "../kinds.js";
import { COMMAS } from "../signs.js";
import { keyOf, type Marked, splitAt, writeWord } from "../words.js";
import { type Fault, faultAt, faultWithHelp } from "./fault.js";
import { headOf, type Keyed } from "./items.js";
import { type Finding, kindOf, type Reading, readLongest, settle } from "./reading.js";
import { unknownKey } from "./unknown-key.js";

/** Reads all words that have a name and are no option: filters, or mistakes. */
export function readFilters(reading: Reading): void {
  const { entry, draft, left } = reading;
  const kind = entry.spec.filters ? kindOf(reading) : undefined;
  // Without a kind nobody can say which fields there are.
  if (entry.spec.filters && !kind) return;
  for (const item of draft.items) {
    if (item.form === "bare" || !left.has(item)) continue;
    const finding = readKeyed(reading, item, kind);
    settle(reading, finding);
    // Only the first fault is told.
    if ("fault" in finding) return;
  }
}

function readKeyed(reading: Reading, item: Keyed, kind: LogKind | undefined): Finding {
  const { draft, context } = reading;
  const field = kind && fieldNamed(kind, item.key);
  if (!field) return { said: [item], fault: unknownKey(reading, item, kind) };
  const fault = blankFault(reading, item, field);
  if (fault) return { said: [item], fault };

  const { minus, operator } = item;
  const { read, said } =
    field.type.is === "ordered"
      ? readLongest(reading, item, item.value, (value) => readFilter(field, { minus, operator, value }, context))
      : { read: readFilter(field, item, context), said: [item] };
  if (read.ok) return { said, filter: read.value };
  const { reason, nearest, help } = read;
  if (nearest === undefined && help !== undefined)
    return { said, fault: faultWithHelp(reading.grammar, said, reason, help) };
  return { said, fault: faultAt(draft, said, reason, nearest) };
}

const COMMA = new RegExp(`[${COMMAS}]`, "g");
// The others are parts of addresses, too.
const BETWEEN = new RegExp(`[${COMMAS};&|]`, "g");

/** What is wrong where two filters stand in one word: `type:session.created,status:404`. */
function blankFault({ draft, grammar }: Reading, item: Keyed, { type }: FieldSpec): Fault | undefined {
  const [first, ...others] = splitAt(item.value, type.is === "text" ? COMMA : BETWEEN);
  const isFilter = (part: Marked): boolean => grammar.isKey(keyOf(part)?.name ?? "");
  if (!first || !others.some(isFilter)) return undefined;
  const parts = others.map((part) => `${isFilter(part) ? " " : ","}${writeWord(part)}`);
  const reason = "Filters are separated by blanks, and by nothing else.";
  return faultAt(draft, [item], reason, `${headOf(item)}${writeWord(first)}${parts.join("")}`);
}
