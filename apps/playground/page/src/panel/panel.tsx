import type { KeyboardEvent, ReactNode } from "react";
import type { Scene } from "../../../src/window/protocol.js";
import { Exchanges } from "./exchanges.js";
import { useKept } from "./kept.js";
import { Log } from "./log.js";

const TABS = ["exchanges", "log"] as const;
type Tab = (typeof TABS)[number];
const NAMES: Readonly<Record<Tab, string>> = { exchanges: "Sent and received", log: "Log" };

/** What happens behind the conversation, for those who want to see it. */
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
          aria-label={isOpen ? "Fold what is behind the scenes" : "Show what is behind the scenes"}
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
