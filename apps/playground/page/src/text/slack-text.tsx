import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { type Json, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { readMrkdwn } from "./mrkdwn.js";
import type { Part, Piece, Style } from "./rich-text.js";
import { formatSlackDate, useOfNow } from "./slack-date.js";

/** Renders a text object of a block: `mrkdwn` or `plain_text`. */
export function SlackText({ text }: { text: Json }): ReactNode {
  const words = stringIn(text.text);
  if (text.type === "mrkdwn") return <Parts parts={readMrkdwn(words)} />;
  return <div className="text">{words}</div>;
}

export function Parts({ parts }: { parts: readonly Part[] }): ReactNode {
  return parts.map((part, at) => <OnePart key={placeKey(at)} part={part} />);
}

// The order never changes, so that the position identifies an item.
const placeKey = (at: number): string => `at-${at}`;

function OnePart({ part }: { part: Part }): ReactNode {
  if (part.type === "list") {
    return (
      <ul>
        {part.items.map((pieces, at) => (
          <li key={placeKey(at)}>
            <Pieces pieces={pieces} />
          </li>
        ))}
      </ul>
    );
  }
  const pieces = <Pieces pieces={part.pieces} />;
  if (part.type === "preformatted") return <Code>{pieces}</Code>;
  return part.type === "quote" ? <blockquote>{pieces}</blockquote> : <div className="text">{pieces}</div>;
}

function Pieces({ pieces }: { pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, at) => (
    <Fragment key={placeKey(at)}>{styled(<OnePiece piece={piece} />, piece.style ?? {})}</Fragment>
  ));
}

function styled(node: ReactNode, { bold, italic, strike, code }: Style): ReactNode {
  let drawn = node;
  if (code) drawn = <code>{drawn}</code>;
  if (strike) drawn = <s>{drawn}</s>;
  if (italic) drawn = <em>{drawn}</em>;
  return bold ? <strong>{drawn}</strong> : drawn;
}

function OnePiece({ piece }: { piece: Piece }): ReactNode {
  const { people, places, app } = useStage();
  switch (piece.type) {
    case "text":
      return piece.text;
    case "link":
      return <Link url={piece.url}>{piece.text}</Link>;
    case "user": {
      const known = piece.id === app.userId ? app.name : people.find(({ id }) => id === piece.id)?.realName;
      return <span className="mention">@{known ?? piece.name ?? piece.id}</span>;
    }
    case "channel":
      return (
        <span className="mention">#{places.find(({ id }) => id === piece.id)?.name ?? piece.name ?? piece.id}</span>
      );
    case "date":
      return <SlackDate {...piece} />;
  }
}

function SlackDate({ timestamp, format, fallback }: Extract<Piece, { type: "date" }>): ReactNode {
  const { you } = useStage();
  const written = useOfNow((now) => formatSlackDate(timestamp, format, { timeZone: you.timeZone, now }));
  if (written === "") return fallback;
  // Prevents screen readers from announcing each new "2 minutes ago".
  return (
    <time
      aria-live="off"
      dateTime={new Date(timestamp * 1000).toISOString()}
      title={`${fallback} · shown in ${you.timeZone}`}
    >
      {written}
    </time>
  );
}

/** An external link. Unsafe addresses are shown as text. */
function Link({ url, children }: { url: string; children: ReactNode }): ReactNode {
  if (!/^(https?|mailto):/i.test(url)) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** How long "Copied" is shown. */
const SAID_MS = 2500;

/** Preformatted text, such as a token, with a copy button. */
function Code({ children }: { children: ReactNode }): ReactNode {
  const code = useRef<HTMLPreElement>(null);
  const [said, say] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => say(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    if (!code.current) return;
    try {
      await navigator.clipboard.writeText(code.current.textContent ?? "");
      say("Copied");
    } catch {
      // The browser may deny access to the clipboard. A selection can still be copied by hand.
      getSelection()?.selectAllChildren(code.current);
      say("Selected");
    }
  };
  return (
    <div className="code">
      <pre ref={code}>{children}</pre>
      <button type="button" className="button copy" onClick={() => void copy()}>
        {said || "Copy"}
      </button>
      <span role="status" className="hidden">
        {said}
      </span>
    </div>
  );
}
