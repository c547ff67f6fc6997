import { memo, type ReactNode, useMemo, useState } from "react";
import type { LogLine } from "../../../src/window/protocol.js";
import { useStage } from "../state/stage.js";
import { clock } from "./clock.js";
import { JsonTree } from "./json-tree.js";
import { filterLog, type LogFilter } from "./log-filter.js";

const SOURCES: readonly LogFilter["from"][] = ["all", "service", "bot"];

/** What the service and the bot have logged, the newest first. */
export function Log({ lines }: { lines: readonly LogLine[] }): ReactNode {
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
