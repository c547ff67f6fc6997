import type { SeenMessage } from "@media-ops/fake-slack";
import { type ReactNode, useMemo } from "react";
import type { PlaceInfo } from "../../../src/window/protocol.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";
import { formatSlackDate, useOfNow } from "../text/slack-date.js";
import { linesOf } from "./lines.js";
import { Message } from "./message.js";
import { MessageLog } from "./message-log.js";
import { threadsOf } from "./threads.js";

interface ConversationProps {
  readonly place: PlaceInfo;
  /** All messages of the place, including the replies in its threads. */
  readonly messages: readonly SeenMessage[];
  /** How often the person has sent something. */
  readonly sent: number;
  readonly send: (line: string) => void;
  readonly openThread: (ts: string) => void;
}

/** The messages of a conversation, without the replies in its threads. */
export function Conversation({ place, messages, sent, send, openThread }: ConversationProps): ReactNode {
  const { timeZone } = useStage().you;
  const { shown, replies } = useMemo(() => threadsOf(messages), [messages]);
  const lines = useMemo(() => linesOf(shown, timeZone), [shown, timeZone]);
  return (
    <MessageLog label={`Messages in ${titleOf(place)}`} messages={shown} sent={sent}>
      <Welcome place={place} isEmpty={lines.length === 0} send={send} />
      {lines.map(({ key, at, message, isNext = false }) =>
        message ? (
          <Message
            key={key}
            message={message}
            isNext={isNext}
            replies={replies.get(message.ts)?.count}
            lastReply={replies.get(message.ts)?.last}
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

interface WelcomeProps {
  readonly place: PlaceInfo;
  readonly isEmpty: boolean;
  readonly send: (line: string) => void;
}

/** The top of a conversation, with examples while it is empty. */
function Welcome({ place, isEmpty, send }: WelcomeProps): ReactNode {
  const { app } = useStage();
  // The bot receives no mentions in its direct conversation.
  const examples = examplesFor(app.name).filter(([line]) => place.kind === "channel" || line.startsWith("/"));
  return (
    <div className="welcome">
      <h3>{titleOf(place)}</h3>
      <p className="muted">
        {place.kind === "channel"
          ? `${PURPOSES[place.name] ?? `This is the beginning of ${titleOf(place)}.`} Type a command below, as you would in Slack: answers are private until you share them. Mention @${app.name} to ask for everyone.`
          : `This is your direct conversation with ${app.name}: it sends files, approved tokens, and answers from its home here.`}
      </p>
      {isEmpty && (
        <ul className="examples" aria-label="Examples">
          {examples.map(([line, about]) => (
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
