import type { ReactNode } from "react";

/** Limits for long lists and texts. */
const MOST_ITEMS = 100;
const LONGEST = 2000;
/** Unfolded at first, up to this depth and size. */
const OPEN_DEPTH = 1;
const OPEN_ITEMS = 12;

/** A foldable view of any value. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }): ReactNode {
  const label = name !== undefined && <span className="json-key">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className="json-line">
        {label}
        {typeof value === "string" ? (
          <span className="json-string">"{shortened(value)}"</span>
        ) : (
          <span className="json-other">{String(value)}</span>
        )}
      </div>
    );
  }
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const inner = (
    <div className={depth > 0 ? "json-inner" : "json"}>
      {entries.slice(0, MOST_ITEMS).map(([key, one]) => (
        <JsonTree key={key} name={key} value={one} depth={depth + 1} />
      ))}
      {entries.length > MOST_ITEMS && <div className="json-line muted">… {entries.length - MOST_ITEMS} more</div>}
    </div>
  );
  if (depth === 0) return inner;
  return (
    <details open={depth <= OPEN_DEPTH && entries.length <= OPEN_ITEMS}>
      <summary className="json-line">
        {label}
        <span className="muted">
          {open} {entries.length} {close}
        </span>
      </summary>
      {inner}
    </details>
  );
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
}
