import type { SeenMessage } from "@media-ops/fake-slack";
import { memo, type ReactNode, useCallback } from "react";
import type { DeedAnswer } from "../../../src/window/protocol.js";
import { Blocks } from "../blocks/blocks.js";
import { SurfaceContext, useSurfaceState } from "../elements/surface.js";
import { useStage } from "../state/stage.js";
import { readMrkdwn } from "../text/mrkdwn.js";
import { formatSlackDate } from "../text/slack-date.js";
import { Parts } from "../text/slack-text.js";
import { Avatar } from "./avatar.js";
import { FileCard } from "./file-card.js";

/** A message, with all that can be done in it; one that follows another of the same sender says its sender no more. */
export const Message = memo(function Message({
  message,
  isNext,
}: {
  message: SeenMessage;
  isNext: boolean;
}): ReactNode {
  const { channelId, ts, blocks, files, from, isEdited, isOnlyVisibleToYou } = message;
  const { people, app, report } = useStage();
  const answered = useCallback((answer: DeedAnswer) => report(answer, channelId), [report, channelId]);
  const surface = useSurfaceState({ kind: "message", channelId, ts }, { of: blocks, answered });
  const person = people.find(({ name }) => name === from);
  const name = person?.realName ?? (from === "bot" ? app.name : from);
  const said = blocks.length > 0 ? <Blocks blocks={blocks} /> : <Parts parts={readMrkdwn(message.text)} />;
  return (
    <Row
      name={name}
      isApp={from === "bot"}
      at={Number(ts) * 1000}
      isNext={isNext}
      isPrivate={isOnlyVisibleToYou}
      isEdited={isEdited}
      picture={<Avatar who={from === "bot" ? { kind: "app" } : { kind: "person", name }} />}
    >
      <SurfaceContext value={surface}>{said}</SurfaceContext>
      {files.map((file) => (
        <FileCard key={file.name} file={file} />
      ))}
    </Row>
  );
});

/** What Slack says by itself. */
export function SlackbotLine({ text, at }: { text: string; at: number }): ReactNode {
  return (
    <Row
      name="Slackbot"
      isApp={false}
      at={at}
      isNext={false}
      isPrivate
      isEdited={false}
      picture={<Avatar who={{ kind: "slackbot" }} />}
    >
      <div className="text muted">{text}</div>
    </Row>
  );
}

interface RowProps {
  readonly name: string;
  readonly isApp: boolean;
  readonly at: number;
  readonly isNext: boolean;
  readonly isPrivate: boolean;
  readonly isEdited: boolean;
  readonly picture: ReactNode;
  readonly children: ReactNode;
}

function Row({ name, isApp, at, isNext, isPrivate, isEdited, picture, children }: RowProps): ReactNode {
  const { timeZone } = useStage().you;
  const write = (format: string): string => formatSlackDate(at / 1000, format, { timeZone, now: at });
  const time = (
    <time className="muted is-small" dateTime={new Date(at).toISOString()} title={write("{date_long} at {time_secs}")}>
      {write("{time}")}
    </time>
  );
  const className = ["message", isPrivate && "is-private", isNext && "is-next"].filter(Boolean).join(" ");
  return (
    <article className={className} aria-label={`${name}, ${write("{time}")}`}>
      {isPrivate && (
        <div className="only-you is-small">
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path
              d="M8 3C4.5 3 2 5.7 1 8c1 2.3 3.5 5 7 5s6-2.7 7-5c-1-2.3-3.5-5-7-5Z"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.4"
            />
            <circle cx="8" cy="8" r="2.2" fill="currentColor" />
          </svg>
          Only visible to you
        </div>
      )}
      <div className="message-picture">{isNext ? time : picture}</div>
      <div className="message-body">
        {!isNext && (
          <div className="message-head">
            <strong>{name}</strong>
            {isApp && <span className="badge">APP</span>}
            {time}
          </div>
        )}
        {children}
        {isEdited && <span className="muted is-small">(edited)</span>}
      </div>
    </article>
  );
}
