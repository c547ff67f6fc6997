import { memo, type ReactNode, useMemo, useState } from "react";
import type { LogLine } from "../../src/window/protocol.js";
import { classes } from "./parts.js";
import { dateWriter } from "./slack-date.js";
import { useStage } from "./stage.js";

interface PanelProps {
  readonly log: readonly LogLine[];
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/** The panel with the requests between Slack and the app, and the logs of the service and the bot, newest first. */
export function Panel({ log, isOpen, setOpen }: PanelProps): ReactNode {
  return (
    <aside className={classes("panel", !isOpen && "is-folded")} aria-label="Behind the scenes">
      <div className="panel-head">
        {isOpen && <h2>Behind the scenes</h2>}
        <button
          type="button"
          className="button is-quiet fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? "Hide what is behind the scenes" : "Show what is behind the scenes"}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden="true">{isOpen ? "⇥" : "⇤"}</span>
          {!isOpen && <span className="fold-text">Behind the scenes</span>}
        </button>
      </div>
      {isOpen && <Lines log={log} />}
    </aside>
  );
}

function Lines({ log }: Pick<PanelProps, "log">): ReactNode {
  const [text, setText] = useState("");
  const shown = useMemo(() => searchLog(log, text), [log, text]);
  return (
    <div className="panel-body">
      <input
        className="control log-search"
        type="search"
        aria-label="Search the log"
        placeholder="Search: slack, service, bot, warn …"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {shown.length === 0 && <p className="muted panel-empty">No such lines.</p>}
      <ol className="records">
        {shown.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </ol>
    </div>
  );
}

/** A line that unfolds to its details. */
const Line = memo(function Line({ line: { at, from, level, text, detail } }: { line: LogLine }): ReactNode {
  const { timeZone } = useStage().you;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="record">
          <span className={`level is-${level}`}>{level}</span>
          <time className="muted">{dateWriter("en-GB", { timeZone, timeStyle: "medium" }).format(at)}</time>
          <span className="record-text">
            <span className="muted">{from}</span> {text}
          </span>
        </summary>
        {isOpen && <pre className="json">{JSON.stringify(detail, undefined, 2)}</pre>}
      </details>
    </li>
  );
});

/** Returns the lines that contain all words of a text, newest first. */
export function searchLog(lines: readonly LogLine[], wanted: string): LogLine[] {
  const words = wanted.toLowerCase().split(/\s+/);
  return lines.toReversed().filter(({ from, level, text, detail }) => {
    const all = `${from} ${level} ${text} ${JSON.stringify(detail)}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
