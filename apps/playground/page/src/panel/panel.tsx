import { memo, type ReactNode, useMemo, useState } from "react";
import type { Exchange, LogLine, Scene } from "../../../src/window/protocol.js";
import { Tabs } from "../frame/tabs.js";
import { useStage } from "../state/stage.js";
import { store, stored } from "../state/stored.js";
import { dateWriter } from "../text/slack-date.js";

const TABS = [
  ["exchanges", "Sent and received"],
  ["log", "Log"],
] as const;

/** The panel with the requests and logs behind the conversation. */
export function Panel({ scene: { exchanges, log } }: { scene: Scene }): ReactNode {
  const [tab, setTab] = useStored("panel-tab", ["exchanges", "log"]);
  const isNarrow = matchMedia("(max-width: 1100px)").matches;
  const [shown, show] = useStored("panel", isNarrow ? ["folded", "open"] : ["open", "folded"]);
  const isOpen = shown === "open";
  return (
    <aside className={isOpen ? "panel" : "panel is-folded"} aria-label="Behind the scenes">
      <div className="panel-head">
        {isOpen && <Tabs label="Behind the scenes" tabs={TABS} chosen={tab} choose={setTab} panel="panel" />}
        <button
          type="button"
          className="button is-quiet fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? "Hide what is behind the scenes" : "Show what is behind the scenes"}
          onClick={() => show(isOpen ? "folded" : "open")}
        >
          <span aria-hidden="true">{isOpen ? "⇥" : "⇤"}</span>
          {!isOpen && <span className="fold-text">Behind the scenes</span>}
        </button>
      </div>
      {isOpen && (
        <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="panel-body">
          {tab === "exchanges" ? <Exchanges exchanges={exchanges} /> : <Log lines={log} />}
        </div>
      )}
    </aside>
  );
}

/** The requests between Slack and the app, newest first. */
function Exchanges({ exchanges }: { exchanges: readonly Exchange[] }): ReactNode {
  return (
    <section aria-label="Sent and received" className="panel-section">
      <p className="muted is-small panel-about">
        <span className="way is-delivery" aria-hidden="true">
          ↓
        </span>{" "}
        Slack to the app{" · "}
        <span className="way is-call" aria-hidden="true">
          ↑
        </span>{" "}
        the app to Slack
      </p>
      {exchanges.length === 0 && <p className="muted panel-empty">Nothing yet. Type a command.</p>}
      <ol className="records">
        {exchanges.toReversed().map((exchange) => (
          <OneExchange key={exchange.id} exchange={exchange} />
        ))}
      </ol>
    </section>
  );
}

const OneExchange = memo(function OneExchange({ exchange }: { exchange: Exchange }): ReactNode {
  const { at, what, name, about, status, detail } = exchange;
  const isCall = what === "call";
  const way = (
    <span className={`way is-${what}`} role="img" aria-label={isCall ? "The app to Slack" : "Slack to the app"}>
      {isCall ? "↑" : "↓"}
    </span>
  );
  return (
    <Entry kind={way} at={at} detail={detail}>
      <span className="record-text">
        <strong>{name}</strong> {about.startsWith(name) ? about.slice(name.length) : about}
      </span>
      <span className={`status ${isGood(status) ? "is-good" : "is-bad"}`}>{status ?? "no answer"}</span>
    </Entry>
  );
});

function isGood(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 400;
}

const SOURCES: readonly LogFilter["from"][] = ["all", "service", "bot"];

/** The log lines of the service and the bot, newest first. */
function Log({ lines }: { lines: readonly LogLine[] }): ReactNode {
  const [from, setFrom] = useState<LogFilter["from"]>("all");
  const [text, setText] = useState("");
  const shown = useMemo(() => filterLog(lines, { from, text }), [lines, from, text]);
  return (
    <section aria-label="Log" className="panel-section">
      <div className="log-filter">
        <select
          className="control"
          aria-label="Lines of"
          value={from}
          onChange={({ target }) => setFrom(SOURCES.find((source) => source === target.value) ?? "all")}
        >
          <option value="all">Service and bot</option>
          <option value="service">Service</option>
          <option value="bot">Bot</option>
        </select>
        <input
          className="control"
          type="search"
          aria-label="Search the log"
          placeholder="Search"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {shown.length === 0 && <p className="muted panel-empty">No such lines.</p>}
      <ol className="records">
        {shown.map((line) => (
          <OneLine key={line.id} line={line} />
        ))}
      </ol>
    </section>
  );
}

const OneLine = memo(function OneLine({ line }: { line: LogLine }): ReactNode {
  const { at, from, level, text, fields } = line;
  return (
    <Entry kind={<span className={`level is-${level}`}>{level}</span>} at={at} detail={fields}>
      <span className="record-text">
        <span className="muted">{from}</span> {text}
      </span>
    </Entry>
  );
});

interface EntryProps {
  readonly kind: ReactNode;
  readonly at: number;
  readonly detail: unknown;
  readonly children: ReactNode;
}

/** A line that unfolds to its details. */
function Entry({ kind, at, detail, children }: EntryProps): ReactNode {
  const { timeZone } = useStage().you;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="record">
          {kind}
          <time className="muted">{dateWriter("en-GB", { timeZone, timeStyle: "medium" }).format(at)}</time>
          {children}
        </summary>
        {isOpen && <JsonTree value={detail} />}
      </details>
    </li>
  );
}

export interface LogFilter {
  readonly from: "all" | LogLine["from"];
  readonly text: string;
}

/** Returns the lines that match the filter, newest first. */
export function filterLog(lines: readonly LogLine[], { from, text }: LogFilter): LogLine[] {
  const wanted = text.trim().toLowerCase();
  const isWanted = (line: LogLine): boolean =>
    (from === "all" || line.from === from) &&
    (wanted === "" || `${line.level} ${line.text} ${JSON.stringify(line.fields)}`.toLowerCase().includes(wanted));
  return lines.filter(isWanted).toReversed();
}

/** Returns a setting that the browser stores, and its setter. The first value is the default. */
function useStored<T extends string>(key: string, values: readonly [T, ...T[]]): [T, (next: T) => void] {
  const [value, setValue] = useState(() => values.find((one) => one === stored("localStorage", key)) ?? values[0]);
  const keep = (next: T): void => {
    setValue(next);
    store("localStorage", key, next);
  };
  return [value, keep];
}

/** Limits for long lists and texts. */
const MOST_ITEMS = 100;
const LONGEST = 2000;
/** Initially unfolded up to this depth and size. */
const OPEN_DEPTH = 1;
const OPEN_ITEMS = 12;

/** A foldable view of any value. */
function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }): ReactNode {
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
