import type { ReactNode } from "react";
import { isObject } from "../json.js";

/** Limits for long lists and texts. */
const MOST_ITEMS = 100;
const LONGEST = 2000;
/** Unfolded up to this depth at first. */
const OPEN_DEPTH = 1;

/** A foldable view of any value. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }): ReactNode {
  const label = name !== undefined && <span className="json-key">{name}: </span>;
  if (!Array.isArray(value) && !isObject(value)) {
    return (
      <div className="json-line">
        {label}
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) {
    return (
      <div className="json-line">
        {label}
        {brackets}
      </div>
    );
  }
  const inner = (
    <div className={depth > 0 ? "json-inner" : undefined}>
      {entries.slice(0, MOST_ITEMS).map(([key, one]) => (
        <JsonTree key={key} name={key} value={one} depth={depth + 1} />
      ))}
      {entries.length > MOST_ITEMS && <div className="json-line muted">… {entries.length - MOST_ITEMS} more</div>}
    </div>
  );
  if (depth === 0) return <div className="json">{inner}</div>;
  return (
    <details open={depth <= OPEN_DEPTH && entries.length <= 12}>
      <summary className="json-line">
        {label}
        <span className="muted">
          {brackets[0]} {entries.length} {brackets[1]}
        </span>
      </summary>
      {inner}
    </details>
  );
}

function Leaf({ value }: { value: unknown }): ReactNode {
  if (typeof value !== "string") return <span className="json-other">{String(value)}</span>;
  const shown = value.length > LONGEST ? `${value.slice(0, LONGEST)}… (${value.length} characters)` : value;
  return <span className="json-string">"{shown}"</span>;
}
