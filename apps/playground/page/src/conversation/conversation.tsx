import type { SeenMessage, SeenView } from "@media-ops/fake-slack";
import { type ReactNode, useCallback, useMemo } from "react";
import type { ActionResult, PlaceInfo } from "../../../src/window/protocol.js";
import { Blocks } from "../blocks/blocks.js";
import { SurfaceContext, useSurfaceState } from "../elements/surface.js";
import { useFocusKept } from "../frame/focus.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";
import type { Notice } from "../state/window-state.js";
import { formatSlackDate, useOfNow } from "../text/slack-date.js";
import { linesOf } from "./lines.js";
import { Message, SlackbotLine } from "./message.js";
import { useStickToBottom } from "./stick-to-bottom.js";

interface ConversationProps {
  readonly place: PlaceInfo;
  readonly messages: readonly SeenMessage[];
  readonly notices: readonly Notice[];
  /** How often the person has sent something. */
  readonly sent: number;
  readonly send: (line: string) => void;
}

/** The messages of a conversation. */
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

const EXAMPLES = [
  ["/media", "What the bot can do"],
  ["/media logs webhooks status:0,4xx,5xx", "Webhooks that failed"],
  ["/media summary webhooks since:3h", "The last three hours, with a chart"],
  ["/media status", "How the service is now"],
  ["/media token lobby for:10m", "A token to enter a channel"],
] as const;

interface WelcomeProps {
  readonly place: PlaceInfo;
  readonly isEmpty: boolean;
  readonly send: (line: string) => void;
}

/** The top of a conversation, with examples while it is empty. */
function Welcome({ place, isEmpty, send }: WelcomeProps): ReactNode {
  const { app } = useStage();
  return (
    <div className="welcome">
      <h3>{titleOf(place)}</h3>
      <p className="muted">
        {place.kind === "channel"
          ? `This is the beginning of ${titleOf(place)}. Type a command below, as you would in Slack: answers are private until you share them.`
          : `This is your direct conversation with ${app.name}: it sends files and answers from its home here.`}
      </p>
      {isEmpty && (
        <ul className="examples" aria-label="Examples">
          {EXAMPLES.map(([line, about]) => (
            <li key={line}>
              <button type="button" className="example" onClick={() => send(line)}>
                <code>{line}</code>
                <span className="muted is-small">{about}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The app's home. */
export function Home({ view }: { view: SeenView | null }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse.
    <div className="conversation home" tabIndex={0}>
      {view ? <HomeView view={view} /> : <p className="muted">Loading the app's home …</p>}
    </div>
  );
}

function HomeView({ view }: { view: SeenView }): ReactNode {
  const { report } = useStage();
  const answered = useCallback((answer: ActionResult) => report(answer), [report]);
  const surface = useSurfaceState({ kind: "view", id: view.id }, { of: view.blocks, answered });
  return (
    <SurfaceContext value={surface}>
      <Blocks blocks={view.blocks} />
    </SurfaceContext>
  );
}
