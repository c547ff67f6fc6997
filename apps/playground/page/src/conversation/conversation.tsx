import type { SeenMessage, SeenView } from "@media-ops/fake-slack";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { PlaceInfo } from "../../../src/window/protocol.js";
import { Blocks } from "../blocks/blocks.js";
import { SurfaceContext, useSurfaceState } from "../elements/surface.js";
import { useFocusKept } from "../frame/focus.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";
import { formatSlackDate, useOfNow } from "../text/slack-date.js";
import { linesOf } from "./lines.js";
import { Message } from "./message.js";

interface ConversationProps {
  readonly place: PlaceInfo;
  readonly messages: readonly SeenMessage[];
  /** How often the person has sent something. */
  readonly sent: number;
  readonly send: (line: string) => void;
}

/** The messages of a conversation. */
export function Conversation({ place, messages, sent, send }: ConversationProps): ReactNode {
  const { timeZone } = useStage().you;
  const lines = useMemo(() => linesOf(messages, timeZone), [messages, timeZone]);
  const { box, inner, hasNew, toBottom } = useStickToBottom(messages.length, sent);
  const focusKept = useFocusKept(box, messages);
  return (
    <div className="conversation-box">
      <div
        className="conversation"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
        tabIndex={0}
        role="log"
        aria-live="polite"
        aria-label={`Messages in ${titleOf(place)}`}
        {...focusKept}
      >
        <div ref={inner} className="conversation-inner">
          <Welcome place={place} isEmpty={lines.length === 0} send={send} />
          {lines.map(({ key, at, message, isNext = false }) =>
            message ? <Message key={key} message={message} isNext={isNext} /> : <Day key={key} at={at} />,
          )}
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
  const words = useOfNow((now) => formatSlackDate(at / 1000, "{date_long_pretty}", { timeZone, now }));
  return (
    <h3 className="day">
      <span>{words}</span>
    </h3>
  );
}

const EXAMPLES = [
  ["/media", "What the bot can do"],
  ["/media logs webhooks failed since:1h", "Webhooks that failed in the last hour"],
  ["/media summary webhooks since:1h", "The last hour, with a chart"],
  ["/media why lobby since:1h", "Why calls drop in the lobby"],
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
  const { report } = useStage();
  const surface = useSurfaceState({ kind: "view", id: view?.id ?? "" }, report);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
    <div className="conversation home" tabIndex={0}>
      <SurfaceContext value={surface}>
        {view ? <Blocks blocks={view.blocks} /> : <p className="muted">Loading the app's home …</p>}
      </SurfaceContext>
    </div>
  );
}

/** Within this distance from the end, the person is considered to be reading the newest messages. */
const NEAR_PX = 60;

/**
 * Keeps the newest messages visible until the person scrolls up.
 *
 * @param sent How often the person has sent something. Each change scrolls to the end again.
 */
function useStickToBottom(count: number, sent: number) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const before = useRef(count);
  // Whether there are new messages below the visible area.
  const [hasNew, setNew] = useState(false);

  const toBottom = (): void => {
    isStuck.current = true;
    setNew(false);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useEffect(() => {
    const element = box.current;
    if (!element || !inner.current) return;
    let last = element.scrollTop;
    const onScroll = (): void => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      // Growth of the conversation does not count as scrolling up.
      if (isNear) isStuck.current = true;
      else if (element.scrollTop < last) isStuck.current = false;
      last = element.scrollTop;
      if (isStuck.current) setNew(false);
    };
    // Charts change their height after loading.
    const sizes = new ResizeObserver(() => {
      if (isStuck.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(inner.current);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);
  const sentBefore = useRef(sent);
  useLayoutEffect(() => {
    if (sent !== sentBefore.current) isStuck.current = true;
    sentBefore.current = sent;
    if (isStuck.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    else if (count > before.current) setNew(true);
    before.current = count;
  }, [count, sent]);
  return { box, inner, hasNew, toBottom };
}
