import { memo, type ReactNode, useState } from "react";
import type { Exchange } from "../../../src/window/protocol.js";
import { useStage } from "../state/stage.js";
import { clock } from "./clock.js";
import { JsonTree } from "./json-tree.js";

/** What went between Slack and the app, the newest first. */
export function Exchanges({ exchanges }: { exchanges: readonly Exchange[] }): ReactNode {
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
