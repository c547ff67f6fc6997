import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { type Json, stringIn } from "./json.js";
import { type Part, type Piece, readMrkdwn, type Style } from "./markup.js";
import { formatSlackDate, useOfNow } from "./slack-date.js";
import { useStage } from "./stage.js";

/** Renders a text object of a block: `mrkdwn` or `plain_text`. */
export function SlackText({ text }: { text: Json }): ReactNode {
  const words = stringIn(text.text);
  return text.type === "mrkdwn" ? <Parts parts={readMrkdwn(words)} /> : <div className="text">{words}</div>;
}

/** Renders parsed text. */
export function Parts({ parts }: { parts: readonly Part[] }): ReactNode {
  return parts.map((part, at) => <OnePart key={keyAt(at)} part={part} />);
}

/** Returns the key of an item of a list whose order never changes, so that the position identifies it. */
export const keyAt = (at: number): string => `at-${at}`;

function OnePart({ part }: { part: Part }): ReactNode {
  if (part.type === "list") {
    return (
      <ul>
        {part.items.map((pieces, at) => (
          <li key={keyAt(at)}>
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
    <Fragment key={keyAt(at)}>{styled(<OnePiece piece={piece} />, piece.style ?? {})}</Fragment>
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
      // Unsafe addresses are shown as text.
      if (!/^(https?|mailto):/i.test(piece.url)) return piece.text;
      return (
        <a href={piece.url} target="_blank" rel="noopener noreferrer">
          {piece.text}
        </a>
      );
    case "user": {
      const known = piece.id === app.userId ? app.name : people.find(({ id }) => id === piece.id)?.realName;
      return <span className="mention">@{known ?? piece.name ?? piece.id}</span>;
    }
    case "channel": {
      const known = places.find(({ id }) => id === piece.id)?.name;
      return <span className="mention">#{known ?? piece.name ?? piece.id}</span>;
    }
    case "date":
      return <SlackDate {...piece} />;
  }
}

function SlackDate({ timestamp, format, fallback }: Extract<Piece, { type: "date" }>): ReactNode {
  const { timeZone } = useStage().you;
  const written = useOfNow((now) => formatSlackDate(timestamp, format, { timeZone, now }));
  if (written === "") return fallback;
  const title = `${fallback} · shown in ${timeZone}`;
  // Prevents screen readers from announcing each new "2 minutes ago".
  return (
    <time aria-live="off" dateTime={new Date(timestamp * 1000).toISOString()} title={title}>
      {written}
    </time>
  );
}

const SAID_MS = 2500;

/** Preformatted text, such as a token, with a copy button. */
function Code({ children }: { children: ReactNode }): ReactNode {
  const code = useRef<HTMLPreElement>(null);
  const [said, say] = useState("");
  useEffect(() => {
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
