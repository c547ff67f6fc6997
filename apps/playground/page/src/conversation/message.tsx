import type { SeenFile, SeenMessage } from "@media-ops/fake-slack";
import { memo, type ReactNode, useCallback, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { ActionResult } from "../../../src/window/protocol.js";
import { Blocks } from "../blocks/blocks.js";
import { SurfaceContext, useSurfaceState } from "../elements/surface.js";
import { Avatar } from "../frame/avatar.js";
import { useStage } from "../state/stage.js";
import { readMrkdwn } from "../text/mrkdwn.js";
import { formatSlackDate } from "../text/slack-date.js";
import { Parts } from "../text/slack-text.js";

/** A message; `isNext` hides the sender, which is the same as before. */
export const Message = memo(function Message({
  message,
  isNext,
}: {
  message: SeenMessage;
  isNext: boolean;
}): ReactNode {
  const { channelId, ts, blocks, files, from, isEdited, isOnlyVisibleToYou } = message;
  const { people, app, report } = useStage();
  const answered = useCallback((answer: ActionResult) => report(answer, channelId), [report, channelId]);
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

/** A message of Slack itself. */
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

/** A file in a message, to preview or download. */
function FileCard({ file }: { file: SeenFile }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const url = useBlobUrl(file.content);
  return (
    <div className="file">
      <svg viewBox="0 0 24 30" width="28" height="34" aria-hidden="true">
        <path d="M3 1h12l7 7v19a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2Z" fill="var(--accent)" />
        <path d="M15 1v7h7" fill="#fff" fillOpacity=".45" />
        <path d="M6 15h12M6 19h12M6 23h8" stroke="#fff" strokeWidth="1.6" />
      </svg>
      <div className="file-name">
        <strong>{file.title || file.name}</strong>
        <span className="muted is-small">
          {file.title && file.title !== file.name ? `${file.name} · ` : ""}
          {sizeOf(file.content)}
        </span>
      </div>
      <button type="button" className="button" aria-label={`Preview ${file.name}`} onClick={() => setOpen(true)}>
        Preview
      </button>
      <a className="button" aria-label={`Download ${file.name}`} href={url} download={file.name}>
        Download
      </a>
      {isOpen && createPortal(<Preview file={file} onClose={() => setOpen(false)} />, document.body)}
    </div>
  );
}

/** As much as a browser renders without a pause. */
const MOST_SHOWN = 200_000;

function Preview({ file, onClose }: { file: SeenFile; onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const more = file.content.length - MOST_SHOWN;
  return (
    <dialog ref={dialog} className="dialog is-wide" aria-labelledby={id} onClose={onClose}>
      <header className="dialog-head">
        <h2 id={id}>{file.title || file.name}</h2>
        <button type="button" className="button is-icon" aria-label="Close" onClick={() => dialog.current?.close()}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse. */}
      <pre className="dialog-body preview" tabIndex={0}>
        {file.content.slice(0, MOST_SHOWN)}
        {more > 0 && `\n… and ${more.toLocaleString("en-US")} more characters`}
      </pre>
    </dialog>
  );
}

/** A `blob:` URL of the content. */
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
  const bytes = new TextEncoder().encode(content).length;
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
