import type { SeenMessage } from "@media-ops/fake-slack";
import { type ReactNode, useMemo } from "react";
import type { PlaceInfo } from "../../../src/window/protocol.js";
import { useFocusKept } from "../frame/focus.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";
import type { Notice } from "../state/window-state.js";
import { useOfNow } from "../text/now.js";
import { formatSlackDate } from "../text/slack-date.js";
import { linesOf } from "./lines.js";
import { Message, SlackbotLine } from "./message.js";
import { useStickToBottom } from "./stick-to-bottom.js";
import { Welcome } from "./welcome.js";

interface ConversationProps {
  readonly place: PlaceInfo;
  readonly messages: readonly SeenMessage[];
  readonly notices: readonly Notice[];
  /** How often something was sent. */
  readonly sent: number;
  readonly send: (line: string) => void;
}

/** All that was said in a place. */
export function Conversation({ place, messages, notices, sent, send }: ConversationProps): ReactNode {
  const { timeZone } = useStage().you;
  const lines = useMemo(() => linesOf(messages, notices, timeZone), [messages, notices, timeZone]);
  const { box, inner, hasNew, toBottom } = useStickToBottom(messages.length + notices.length, sent);
  const focusKept = useFocusKept(box, messages);
  return (
    <div className="conversation-box">
      <div
        className="conversation"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse.
        tabIndex={0}
        role="log"
        aria-live="polite"
        aria-label={`Messages in ${titleOf(place)}`}
        {...focusKept}
      >
        <div ref={inner} className="conversation-inner">
          <Welcome place={place} isEmpty={lines.length === 0} send={send} />
          {lines.map((line) => {
            if (line.kind === "day") return <Day key={line.key} at={line.at} />;
            if (line.kind === "notice") return <SlackbotLine key={line.key} {...line.notice} />;
            return <Message key={line.key} message={line.message} isNext={line.isNext} />;
          })}
        </div>
      </div>
      {hasNew && (
        <button type="button" className="button is-primary new-messages" onClick={toBottom}>
          New messages ↓
        </button>
      )}
    </div>
  );
}

function Day({ at }: { at: number }): ReactNode {
  const { timeZone } = useStage().you;
  const words = useOfNow((now) => formatSlackDate(at / 1000, "{day_divider_pretty}", { timeZone, now }));
  return (
    <h3 className="day">
      <span>{words}</span>
    </h3>
  );
}
