import { type KeyboardEvent, memo, type ReactNode, useMemo, useState } from "react";
import type { Exchange, LogLine, Scene } from "../../../src/window/protocol.js";
import { useStage } from "../state/stage.js";
import { dateWriter } from "../text/slack-date.js";
import { JsonTree } from "./json-tree.js";

const TABS = ["exchanges", "log"] as const;
type Tab = (typeof TABS)[number];
const NAMES: Readonly<Record<Tab, string>> = { exchanges: "Sent and received", log: "Log" };

/** Requests and logs behind the conversation. */
export function Panel({ scene: { exchanges, log } }: { scene: Scene }): ReactNode {
  const [tab, setTab] = useKept<Tab>("panel-tab", TABS, "exchanges");
  const isNarrow = matchMedia("(max-width: 1100px)").matches;
  const [shown, show] = useKept("panel", ["open", "folded"], isNarrow ? "folded" : "open");
  const isOpen = shown === "open";
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const next = TABS.find((one) => one !== tab) ?? tab;
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <aside className={isOpen ? "panel" : "panel is-folded"} aria-label="Behind the scenes">
      <div className="panel-head">
        {isOpen && (
          <div role="tablist" aria-label="Behind the scenes" className="tabs">
            {TABS.map((one) => (
              <button
                key={one}
                id={`tab-${one}`}
                type="button"
                role="tab"
                aria-selected={one === tab}
                aria-controls="panel"
                tabIndex={one === tab ? 0 : -1}
                onKeyDown={onKeyDown}
                onClick={() => setTab(one)}
              >
                {NAMES[one]}
              </button>
            ))}
          </div>
        )}
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

/** The requests between Slack and the app, the newest first. */
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
  const { timeZone } = useStage().you;
  const [isOpen, setOpen] = useState(false);
  const isCall = what === "call";
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="record">
          <span className={`way is-${what}`} role="img" aria-label={isCall ? "The app to Slack" : "Slack to the app"}>
            {isCall ? "↑" : "↓"}
          </span>
          <time className="muted">{clock(at, timeZone)}</time>
          <span className="record-text">
            <strong>{name}</strong> {about.startsWith(name) ? about.slice(name.length) : about}
          </span>
          <span className={`status ${isGood(status) ? "is-good" : "is-bad"}`}>{status ?? "no answer"}</span>
        </summary>
        {isOpen && <JsonTree value={detail} />}
      </details>
    </li>
  );
});

function isGood(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 400;
}

const SOURCES: readonly LogFilter["from"][] = ["all", "service", "bot"];

/** The log lines of the service and the bot, the newest first. */
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
  const { timeZone } = useStage().you;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="record">
          <span className={`level is-${level}`}>{level}</span>
          <time className="muted">{clock(at, timeZone)}</time>
          <span className="record-text">
            <span className="muted">{from}</span> {text}
          </span>
        </summary>
        {isOpen && <JsonTree value={fields} />}
      </details>
    </li>
  );
});

export interface LogFilter {
  readonly from: "all" | LogLine["from"];
  readonly text: string;
}

/** The lines that match the filter, the newest first. */
export function filterLog(lines: readonly LogLine[], { from, text }: LogFilter): LogLine[] {
  const wanted = text.trim().toLowerCase();
  const isWanted = (line: LogLine): boolean =>
    (from === "all" || line.from === from) &&
    (wanted === "" || `${line.level} ${line.text} ${JSON.stringify(line.fields)}`.toLowerCase().includes(wanted));
  return lines.filter(isWanted).toReversed();
}

/** A setting that the browser stores. */
function useKept<T extends string>(key: string, values: readonly T[], first: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const kept = read(key);
    return values.find((one) => one === kept) ?? first;
  });
  const keep = (next: T): void => {
    setValue(next);
    try {
      localStorage.setItem(key, next);
    } catch {
      // Storage may be disabled.
    }
  };
  return [value, keep];
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A time of day with seconds. */
function clock(ms: number, timeZone: string): string {
  return dateWriter("en-GB", { timeZone, timeStyle: "medium" }).format(ms);
}
