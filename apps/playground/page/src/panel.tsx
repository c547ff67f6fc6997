import { memo, type ReactNode, useMemo, useState } from "react";
import type { Exchange, LogLine, Scene } from "../../src/window/protocol.js";
import { classes, Tabs } from "./parts.js";
import { dateWriter } from "./slack-date.js";
import { useStage } from "./stage.js";

const TABS = [
  ["exchanges", "Sent and received"],
  ["log", "Log"],
] as const;

/** How a person has set the panel. */
export interface PanelSetting {
  readonly tab: (typeof TABS)[number][0];
  readonly isOpen: boolean;
}

interface PanelProps extends Pick<Scene, "exchanges" | "log"> {
  readonly setting: PanelSetting;
  readonly set: (setting: PanelSetting) => void;
}

/** The panel with the requests and logs behind the conversation. */
export function Panel({ exchanges, log, setting: { tab, isOpen }, set }: PanelProps): ReactNode {
  const choose = (next: PanelSetting["tab"]): void => set({ tab: next, isOpen });
  return (
    <aside className={classes("panel", !isOpen && "is-folded")} aria-label="Behind the scenes">
      <div className="panel-head">
        {isOpen && <Tabs label="Behind the scenes" tabs={TABS} chosen={tab} choose={choose} panel="panel" />}
        <button
          type="button"
          className="button is-quiet fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? "Hide what is behind the scenes" : "Show what is behind the scenes"}
          onClick={() => set({ tab, isOpen: !isOpen })}
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
function Exchanges({ exchanges }: Pick<Scene, "exchanges">): ReactNode {
  return (
    <section aria-label="Sent and received" className="panel-section">
      <p className="muted is-small panel-about">
        <Way what="delivery" /> Slack to the app{" · "}
        <Way what="call" /> the app to Slack
      </p>
      {exchanges.length === 0 && <p className="muted panel-empty">Nothing yet. Type a command.</p>}
      <ol className="records">
        {exchanges.toReversed().map((exchange) => (
          <ExchangeRecord key={exchange.id} exchange={exchange} />
        ))}
      </ol>
    </section>
  );
}

function Way({ what }: Pick<Exchange, "what">): ReactNode {
  const [sign, label] = what === "call" ? ["↑", "The app to Slack"] : ["↓", "Slack to the app"];
  return (
    <span className={`way is-${what}`} role="img" aria-label={label}>
      {sign}
    </span>
  );
}

const ExchangeRecord = memo(function ExchangeRecord({ exchange }: { exchange: Exchange }): ReactNode {
  const { at, what, name, about, status = 0, detail } = exchange;
  const isGood = status >= 200 && status < 400;
  return (
    <Record kind={<Way what={what} />} at={at} detail={detail}>
      <span className="record-text">
        <strong>{name}</strong> {about.startsWith(name) ? about.slice(name.length) : about}
      </span>
      <span className={`status ${isGood ? "is-good" : "is-bad"}`}>{status || "no answer"}</span>
    </Record>
  );
});

/** The log lines of the service and the bot, newest first. */
function Log({ lines }: { lines: readonly LogLine[] }): ReactNode {
  const [text, setText] = useState("");
  const shown = useMemo(() => searchLog(lines, text), [lines, text]);
  return (
    <section aria-label="Log" className="panel-section">
      <input
        className="control log-search"
        type="search"
        aria-label="Search the log"
        placeholder="Search: service, bot, warn …"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {shown.length === 0 && <p className="muted panel-empty">No such lines.</p>}
      <ol className="records">
        {shown.map((line) => (
          <LogRecord key={line.id} line={line} />
        ))}
      </ol>
    </section>
  );
}

const LogRecord = memo(function LogRecord({ line: { at, from, level, text, fields } }: { line: LogLine }): ReactNode {
  return (
    <Record kind={<span className={`level is-${level}`}>{level}</span>} at={at} detail={fields}>
      <span className="record-text">
        <span className="muted">{from}</span> {text}
      </span>
    </Record>
  );
});

/** Returns the lines that contain all words of a text, newest first. */
export function searchLog(lines: readonly LogLine[], text: string): LogLine[] {
  const words = text.toLowerCase().split(/\s+/);
  return lines.toReversed().filter(({ from, level, text, fields }) => {
    const all = `${from} ${level} ${text} ${JSON.stringify(fields)}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

interface RecordProps {
  readonly kind: ReactNode;
  readonly at: number;
  readonly detail: unknown;
  readonly children: ReactNode;
}

/** A line that unfolds to its details. */
function Record({ kind, at, detail, children }: RecordProps): ReactNode {
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
        {isOpen && <pre className="json">{JSON.stringify(detail, undefined, 2)}</pre>}
      </details>
    </li>
  );
}
