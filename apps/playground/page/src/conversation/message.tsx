import type { SeenFile, SeenMessage } from "@media-ops/fake-slack";
import { memo, type ReactNode, useCallback, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import type { ActionResult } from "../../../src/window/protocol.js";
import { Blocks } from "../blocks/blocks.js";
import { SurfaceContext, useSurfaceState } from "../elements/surface.js";
import { Avatar } from "../frame/avatar.js";
import { Dialog } from "../frame/dialog.js";
import { useStage } from "../state/stage.js";
import { readMrkdwn } from "../text/mrkdwn.js";
import { formatSlackDate, useOfNow } from "../text/slack-date.js";
import { Parts } from "../text/slack-text.js";
import { MessageMenu } from "./message-menu.js";

interface MessageProps {
  readonly message: SeenMessage;
  /** Whether the sender is already shown above. */
  readonly isNext: boolean;
  /** The number of replies, and the timestamp of the last one. */
  readonly replies?: number | undefined;
  readonly lastReply?: string | undefined;
  /** Opens the thread of a message. Undefined in a thread. */
  readonly openThread?: (ts: string) => void;
}

/** A message from a person, the app, or Slack itself. */
export const Message = memo(function Message(props: MessageProps): ReactNode {
  const { message, isNext, replies = 0, lastReply = "", openThread } = props;
  const { channelId, threadTs, ts, blocks, files, from, isEdited, isOnlyVisibleToYou } = message;
  const { people, app, report, you } = useStage();
  const answered = useCallback(
    (answer: ActionResult) => report(answer, { channelId, threadTs }),
    [report, channelId, threadTs],
  );
  const surface = useSurfaceState({ kind: "message", channelId, ts }, answered);
  const isApp = from === "bot";
  const name = isApp ? app.name : (people.find((person) => person.name === from)?.realName ?? from);
  const at = Number(ts) * 1000;
  const write = (format: string): string => formatSlackDate(Number(ts), format, { timeZone: you.timeZone, now: at });
  const time = (
    <time className="muted is-small" dateTime={new Date(at).toISOString()} title={write("{date_long} at {time_secs}")}>
      {write("{time}")}
    </time>
  );
  const className = ["message", isOnlyVisibleToYou && "is-private", isNext && "is-next"].filter(Boolean).join(" ");
  return (
    <article className={className} aria-label={`${name}, ${write("{time}")}`}>
      {isOnlyVisibleToYou && (
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
      <div className="message-picture">{isNext ? time : <Avatar name={isApp ? "app" : name} />}</div>
      <div className="message-body">
        {!isNext && (
          <div className="message-head">
            <strong>{name}</strong>
            {isApp && <span className="badge">APP</span>}
            {time}
          </div>
        )}
        <SurfaceContext value={surface}>
          {blocks.length > 0 ? <Blocks blocks={blocks} /> : <Parts parts={readMrkdwn(message.text)} />}
        </SurfaceContext>
        {files.map((file) => (
          <FileCard key={file.name} file={file} />
        ))}
        {isEdited && <span className="muted is-small">(edited)</span>}
        {replies > 0 && (
          <button type="button" className="replies" onClick={() => openThread?.(ts)}>
            <strong>{repliesText(replies)}</strong> <LastReply ts={lastReply} />
          </button>
        )}
      </div>
      {/* Slack has no shortcuts and no threads at messages that only one person sees. */}
      {!isOnlyVisibleToYou && <MessageMenu message={message} openThread={openThread} />}
    </article>
  );
});

/** Returns the number of replies in words. */
export const repliesText = (count: number): string => (count === 1 ? "1 reply" : `${count} replies`);

function LastReply({ ts }: { ts: string }): ReactNode {
  const { timeZone } = useStage().you;
  const words = useOfNow((now) => formatSlackDate(Number(ts), "{date_short_pretty} at {time}", { timeZone, now }));
  return <span className="muted">Last reply {words}</span>;
}

/** A file in a message, with preview and download. */
function FileCard({ file: { name, title, content } }: { file: SeenFile }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const url = useBlobUrl(content);
  return (
    <div className="file">
      <svg viewBox="0 0 24 30" width="28" height="34" aria-hidden="true">
        <path d="M3 1h12l7 7v19a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2Z" fill="var(--accent)" />
        <path d="M15 1v7h7" fill="#fff" fillOpacity=".45" />
        <path d="M6 15h12M6 19h12M6 23h8" stroke="#fff" strokeWidth="1.6" />
      </svg>
      <div className="file-name">
        <strong>{title || name}</strong>
        <span className="muted is-small">
          {title && title !== name ? `${name} · ` : ""}
          {sizeOf(content)}
        </span>
      </div>
      <button type="button" className="button" aria-label={`Preview ${name}`} onClick={() => setOpen(true)}>
        Preview
      </button>
      <a className="button" aria-label={`Download ${name}`} href={url} download={name}>
        Download
      </a>
      {isOpen &&
        createPortal(
          <Dialog title={title || name} size="is-wide" onClose={() => setOpen(false)}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
            <pre className="dialog-body preview" tabIndex={0}>
              {previewOf(content)}
            </pre>
          </Dialog>,
          document.body,
        )}
    </div>
  );
}

/** The amount of text that a browser renders without a noticeable pause. */
const MOST_SHOWN = 200_000;

function previewOf(content: string): string {
  const more = content.length - MOST_SHOWN;
  if (more <= 0) return content;
  return `${content.slice(0, MOST_SHOWN)}\n… and ${more.toLocaleString("en-US")} more characters`;
}

/** Returns a `blob:` URL of the content. */
function useBlobUrl(content: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type: "text/plain;charset=utf-8" }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return url;
}

function sizeOf(content: string): string {
  const { size } = new Blob([content]);
  if (size < 1000) return `${size} B`;
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
