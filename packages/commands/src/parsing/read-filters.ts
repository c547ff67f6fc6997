import { fieldNamed } from "../filters/fields.js";
import { readFilter } from "../filters/read-filter.js";
import { kinds, type LogKind } from "../kinds.js";
import { faultAt } from "./fault.js";
import type { Keyed } from "./items.js";
import { type Finding, type Reading, readLongest, settle } from "./reading.js";
import { unknownKey } from "./unknown-key.js";

/** The kind that has been read, where the command has one. */
export function kindOf({ values }: Reading): LogKind | undefined {
  const kind = values.get("kind");
  return kinds.find((name) => name === kind);
}

/** Reads all words that have a name and are no option: filters, or mistakes. */
export function readFilters(reading: Reading): void {
  const { entry, draft, left } = reading;
  const kind = kindOf(reading);
  // Without a kind nobody can say which fields there are.
  if (entry.spec.filters && !kind) return;
  for (const item of draft.items) {
    if (item.form === "bare" || !left.has(item)) continue;
    const finding = readKeyed(reading, item, entry.spec.filters ? kind : undefined);
    settle(reading, finding);
    // Only the first fault is told.
    if ("fault" in finding) return;
  }
}

function readKeyed(reading: Reading, item: Keyed, kind: LogKind | undefined): Finding {
  const { draft, context } = reading;
  const field = kind && fieldNamed(kind, item.key);
  if (!field) return { said: [item], fault: unknownKey(reading, item, kind) };

  const { minus, operator } = item;
  const { read, said } =
    field.type.is === "ordered" && field.type.spaced
      ? readLongest(reading, item, item.value, (value) => readFilter(field, { minus, operator, value }, context))
      : { read: readFilter(field, item, context), said: [item] };
  if (read.ok) return { said, filter: read.value };
  return { said, fault: faultAt(draft, said, read.reason, read.nearest) };
}
