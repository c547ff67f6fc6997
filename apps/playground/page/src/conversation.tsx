import type { SeenMessage, SeenView } from "@media-ops/fake-slack";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { PlaceInfo } from "../../src/window/protocol.js";
import { Blocks } from "./blocks.js";
import { Message, type Replies, repliesText } from "./message.js";
import { MessageBox } from "./message-box.js";
import { IconButton, isFocusLost, useFocusBack } from "./parts.js";
import { dayOf, formatSlackDate, useOfNow } from "./slack-date.js";
import { titleOf, useStage, type WindowProps } from "./stage.js";

interface PlaceProps extends WindowProps {
  readonly here: PlaceInfo;
}

/** The messages of a conversation, without the replies in its threads. */
export function Conversation({ here, messages, sent, send, openThread }: PlaceProps): ReactNode {
  const { timeZone } = useStage().you;
  const { shown, replies } = useMemo(() => threadsOf(messages), [messages]);
  const lines = useMemo(() => linesOf(shown, timeZone), [shown, timeZone]);
  return (
    <MessageLog label={`Messages in ${titleOf(here)}`} messages={shown} sent={sent}>
      <Welcome here={here} isEmpty={lines.length === 0} send={send} />
      {lines.map(({ key, at, message, isNext }) =>
        message ? (
          <Message
            key={key}
            message={message}
            isNext={isNext}
            replies={replies.get(message.ts)}
            openThread={openThread}
          />
        ) : (
          <Day key={key} at={at} />
        ),
      )}
    </MessageLog>
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

interface ThreadProps extends PlaceProps {
  readonly root: SeenMessage;
  readonly replies: readonly SeenMessage[];
}

/** A message with its replies, beside the conversation. */
export function Thread({ here, root, replies, sent, send, openThread }: ThreadProps): ReactNode {
  const { timeZone } = useStage().you;
  useFocusBack();
  const lines = useMemo(() => linesOf(replies, timeZone), [replies, timeZone]);
  const count = replies.filter(({ isOnlyVisibleToYou }) => !isOnlyVisibleToYou).length;
  return (
    <aside className="thread" aria-label="Thread">
      <div className="thread-head">
        <h2>
          Thread <span className="muted">{titleOf(here)}</span>
        </h2>
        <IconButton label="Close the thread" onClick={() => openThread(undefined)}>
          ✕
        </IconButton>
      </div>
      <MessageLog label={`Thread in ${titleOf(here)}`} messages={replies} sent={sent}>
        <Message message={root} />
        {count > 0 && (
          <h3 className="day is-replies">
            <span>{repliesText(count)}</span>
          </h3>
        )}
        {lines.map(({ key, message, isNext }) => message && <Message key={key} message={message} isNext={isNext} />)}
      </MessageLog>
      <MessageBox
        label="Reply in the thread"
        draft={`${here.id} ${root.ts}`}
        isFocused
        send={(line) => send(line, root.ts)}
      />
    </aside>
  );
}

/** The app's home. */
export function Home({ view }: { view: SeenView | null }): ReactNode {
  const { perform } = useStage();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
    <div className="conversation home" tabIndex={0}>
      {view && <Blocks blocks={view.blocks} on={{ kind: "view", id: view.id }} perform={perform} />}
      {!view && <p className="muted">Loading the app's home …</p>}
    </div>
  );
}

/** Lines to begin with, and what they show. */
const examplesFor = (app: string) =>
  [
    ["/media", "What the bot can do"],
    ["/media logs webhooks failed since:1h", "Webhooks that failed in the last hour"],
    ["/media summary webhooks since:1h", "The last hour, with a chart"],
    ["/media why lobby since:1h", "Why calls drop in the lobby"],
    [`@${app} why lobby since:1h`, "The same in a thread, for everyone"],
    ["/media watch webhooks failed", "A message here as soon as one fails"],
    ["/media digest at:09:00", "The figures of the day, every morning"],
    ["/media status", "How the service is now"],
    ["/media token lobby for:10m", "A token to enter a channel"],
    ["/media token lobby role:sendrecv for:1h", "More than a member may: ask for approval"],
    ["/media live lobby", "Who is connected, for admins to disconnect"],
    ["/media deliveries failed", "Webhooks that never arrived, to send again"],
  ] as const;

/** What the channels of the demo are for, by name. */
const PURPOSES: Readonly<Record<string, string>> = {
  incidents: "A watch posts here when webhooks fail.",
  audit: "Requests for approval, and what people did with the bot, are posted here.",
};

interface WelcomeProps extends Pick<PlaceProps, "here" | "send"> {
  readonly isEmpty: boolean;
}

function Welcome({ here, isEmpty, send }: WelcomeProps): ReactNode {
  const { app } = useStage();
  // The bot receives no mentions in its direct conversation.
  const examples = examplesFor(app.name).filter(([line]) => here.kind === "channel" || line.startsWith("/"));
  return (
    <div className="welcome">
      <h3>{titleOf(here)}</h3>
      <p className="muted">
        {here.kind === "channel"
          ? `${PURPOSES[here.name] ?? `This is the beginning of ${titleOf(here)}.`} Type a command below, as you would in Slack: answers are private until you share them. Mention @${app.name} to ask for everyone.`
          : `This is your direct conversation with ${app.name}: it sends files, approved tokens, and answers from its home here.`}
      </p>
      {isEmpty && (
        <ul className="examples" aria-label="Examples">
          {examples.map(([line, about]) => (
            <li key={line}>
              <button type="button" className="example" onClick={() => void send(line)}>
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

interface MessageLogProps extends Pick<WindowProps, "messages" | "sent"> {
  readonly label: string;
  readonly children: ReactNode;
}

/** Within this distance from the end, the person is considered to be reading the newest messages. */
const NEAR_PX = 60;

/** A scrollable list of messages, which keeps the newest visible until the person scrolls up. */
function MessageLog({ label, messages, sent, children }: MessageLogProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const focused = useRef<Element>(undefined);
  const isStuck = useRef(true);
  const lastTop = useRef(0);
  // Whether there are new messages below the visible area.
  const [hasNew, setNew] = useState(false);

  const toBottom = useCallback((): void => {
    isStuck.current = true;
    setNew(false);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);
  const newest = messages.at(-1)?.ts;
  // New messages are shown, or announced.
  useLayoutEffect(() => (isStuck.current ? toBottom() : setNew(true)), [newest]);
  // Who sends something wants to see it.
  useLayoutEffect(toBottom, [sent]);
  useEffect(() => {
    // Charts change their height after loading.
    const sizes = new ResizeObserver(() => isStuck.current && toBottom());
    for (const { current } of [box, inner]) if (current) sizes.observe(current);
    return () => sizes.disconnect();
  }, [toBottom]);
  const onScroll = (): void => {
    if (!box.current) return;
    const { scrollHeight, scrollTop, clientHeight } = box.current;
    // Growth of the conversation does not count as scrolling up.
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) isStuck.current = true;
    else if (scrollTop < lastTop.current) isStuck.current = false;
    lastTop.current = scrollTop;
    if (isStuck.current) setNew(false);
  };
  // Keeps the focus in the list when a change removes the focused element, such as a pressed button.
  useLayoutEffect(() => {
    if (focused.current && !focused.current.isConnected && isFocusLost()) box.current?.focus({ preventScroll: true });
  }, [messages]);
  return (
    <div className="conversation-box">
      <div
        className="conversation"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
        tabIndex={0}
        role="log"
        aria-live="polite"
        aria-label={label}
        onScroll={onScroll}
        onFocus={({ target }) => {
          focused.current = target;
        }}
        onBlur={() => {
          focused.current = undefined;
        }}
      >
        <div ref={inner} className="conversation-inner">
          {children}
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

interface Line {
  readonly key: string;
  readonly at: number;
  /** Undefined for the start of a day. */
  readonly message?: SeenMessage;
  /** Whether the sender is already shown above. */
  readonly isNext?: boolean;
}

/** Consecutive messages within this time show their sender once. */
const SAME_MS = 5 * 60_000;

/** Returns the lines of a conversation, oldest first. */
export function linesOf(messages: readonly SeenMessage[], timeZone: string): Line[] {
  const lines: Line[] = [];
  let day = "";
  let last: SeenMessage | undefined;
  for (const message of messages.toSorted((one, other) => Number(one.ts) - Number(other.ts))) {
    const at = Number(message.ts) * 1000;
    const today = dayOf(at, timeZone);
    if (today !== day) {
      lines.push({ key: today, at });
      last = undefined;
    }
    day = today;
    const isNext = last?.from === message.from && at - Number(last.ts) * 1000 < SAME_MS && !message.isOnlyVisibleToYou;
    lines.push({ key: message.ts, at, message, isNext });
    last = message.isOnlyVisibleToYou ? undefined : message;
  }
  return lines;
}

/** Splits the messages of a channel: those that it shows, and the replies to each by its timestamp. */
export function threadsOf(messages: readonly SeenMessage[]) {
  const replies = new Map<string, Replies>();
  for (const { threadTs, ts, isOnlyVisibleToYou } of messages) {
    if (threadTs === undefined || isOnlyVisibleToYou) continue;
    replies.set(threadTs, { count: (replies.get(threadTs)?.count ?? 0) + 1, last: ts });
  }
  return { shown: messages.filter(({ threadTs }) => threadTs === undefined), replies };
}

/** Returns the message that begins a thread, and its replies. Undefined if the message is gone. */
export function threadAt(messages: readonly SeenMessage[], ts: string | undefined) {
  const root = messages.find((message) => message.ts === ts && message.threadTs === undefined);
  return root && { root, replies: messages.filter(({ threadTs }) => threadTs === ts) };
}
