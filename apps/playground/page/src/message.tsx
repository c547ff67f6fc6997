import type { SeenFile, SeenMessage } from "@media-ops/fake-slack";
import { type KeyboardEvent, memo, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Blocks } from "./blocks.js";
import { Avatar, classes, Dialog, IconButton } from "./parts.js";
import { formatSlackDate, useOfNow } from "./slack-date.js";
import { Parts, readMrkdwn } from "./slack-text.js";
import { useStage } from "./stage.js";

/** The replies to a message, as its channel shows them. */
export interface Replies {
  /** Without those that only one person sees. */
  readonly count: number;
  readonly last: string;
}

interface MessageProps {
  readonly message: SeenMessage;
  /** Whether the sender is already shown above. */
  readonly isNext?: boolean | undefined;
  readonly replies?: Replies | undefined;
  /** Opens the thread of a message. Undefined in a thread. */
  readonly openThread?: ((ts: string) => void) | undefined;
}

/** A message from a person, the app, or Slack itself. */
export const Message = memo(function Message({ message, isNext = false, replies, openThread }: MessageProps) {
  const { channelId, threadTs, ts, text, blocks, files, from, isEdited, isOnlyVisibleToYou } = message;
  const { people, app, perform, you } = useStage();
  const isApp = from === "bot";
  const name = isApp ? app.name : (people.find((person) => person.name === from)?.realName ?? from);
  const at = Number(ts) * 1000;
  const write = (format: string): string => formatSlackDate(Number(ts), format, { timeZone: you.timeZone, now: at });
  const time = (
    <time className="muted is-small" dateTime={new Date(at).toISOString()} title={write("{date_long} at {time_secs}")}>
      {write("{time}")}
    </time>
  );
  return (
    <article
      className={classes("message", isOnlyVisibleToYou && "is-private", isNext && "is-next")}
      aria-label={`${name}, ${write("{time}")}`}
    >
      {isOnlyVisibleToYou && (
        <div className="only-you is-small">
          <span className="icon is-eye" />
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
        {blocks.length === 0 && <Parts parts={readMrkdwn(text)} />}
        <Blocks
          blocks={blocks}
          on={{ kind: "message", channelId, ts }}
          perform={(action) => perform(action, { channelId, threadTs })}
        />
        {files.map((file) => (
          <FileCard key={file.name} file={file} />
        ))}
        {isEdited && <span className="muted is-small">(edited)</span>}
        {replies && (
          <button type="button" className="replies" onClick={() => openThread?.(ts)}>
            <strong>{repliesText(replies.count)}</strong> <LastReply ts={replies.last} />
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

function MessageMenu({ message: { channelId, threadTs, ts }, openThread }: Omit<MessageProps, "isNext">): ReactNode {
  const { app, perform } = useStage();
  const [open, setOpen] = useState<"upward" | "downward">();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) menu.current?.querySelector("button")?.focus();
  }, [open]);
  const close = (): void => {
    setOpen(undefined);
    button.current?.focus();
  };
  const use = (callbackId: string): void => {
    close();
    void perform({ do: "message-shortcut", callbackId, channelId, ts }, { channelId, threadTs });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = [...(menu.current?.querySelectorAll("button") ?? [])];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (step) items.at((items.findIndex((item) => item.matches(":focus")) + step) % items.length)?.focus();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only sees that the focus leaves its button and menu.
    <div
      className="message-menu"
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && setOpen(undefined)}
    >
      {openThread && (
        <IconButton label="Reply in thread" onClick={() => openThread(ts)}>
          <span className="icon is-thread" />
        </IconButton>
      )}
      <IconButton
        ref={button}
        label="More actions"
        aria-haspopup="menu"
        aria-expanded={open !== undefined}
        aria-controls={open && id}
        onClick={({ currentTarget }) => {
          // The newest messages are at the bottom, where there is no room below them.
          const isLow = currentTarget.getBoundingClientRect().top > innerHeight / 2;
          setOpen(open ? undefined : isLow ? "upward" : "downward");
        }}
      >
        ⋮
      </IconButton>
      {open && (
        <div
          ref={menu}
          id={id}
          role="menu"
          aria-label="More actions"
          className={classes("menu", open === "upward" && "is-upward")}
          onKeyDown={onKeyDown}
        >
          {app.messageShortcuts.map(({ callbackId, name }) => (
            <button key={callbackId} type="button" role="menuitem" tabIndex={-1} onClick={() => use(callbackId)}>
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function FileCard({ file: { name, title, content } }: { file: SeenFile }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="file">
      <span className="icon is-file" />
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
      <a
        className="button"
        aria-label={`Download ${name}`}
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(content)}`}
        download={name}
      >
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

function sizeOf(content: string): string {
  const { size } = new Blob([content]);
  if (size < 1000) return `${size} B`;
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
