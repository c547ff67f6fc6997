import { Fragment, type ReactNode } from "react";
import { type Json, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { Code } from "./code.js";
import { Emoji } from "./emoji.js";
import { readMrkdwn, readPlain } from "./mrkdwn.js";
import { useOfNow } from "./now.js";
import type { Part, Piece, Style } from "./rich-text.js";
import { formatSlackDate } from "./slack-date.js";

/** A text object of a block: `mrkdwn` or `plain_text`. */
export function SlackText({ text }: { text: Json }): ReactNode {
  const words = stringIn(text.text);
  return (
    <Parts parts={text.type === "mrkdwn" ? readMrkdwn(words) : readPlain(words, { emoji: text.emoji === true })} />
  );
}

export function Parts({ parts }: { parts: readonly Part[] }): ReactNode {
  return parts.map((part, at) => <OnePart key={placeKey(at)} part={part} />);
}

// What is drawn never changes its order: its place is what it is known by.
const placeKey = (at: number): string => `at-${at}`;

function OnePart({ part }: { part: Part }): ReactNode {
  switch (part.type) {
    case "section":
      return (
        <div className="text">
          <Pieces pieces={part.pieces} />
        </div>
      );
    case "quote":
      return (
        <blockquote>
          <Pieces pieces={part.pieces} />
        </blockquote>
      );
    case "preformatted":
      return (
        <Code>
          <Pieces pieces={part.pieces} />
        </Code>
      );
    case "list": {
      const items = part.items.map((pieces, at) => (
        <li key={placeKey(at)}>
          <Pieces pieces={pieces} />
        </li>
      ));
      const className = `indent-${Math.min(part.indent, 5)}`;
      if (!part.isOrdered) return <ul className={className}>{items}</ul>;
      return (
        <ol className={className} start={part.offset + 1}>
          {items}
        </ol>
      );
    }
  }
}

function Pieces({ pieces }: { pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, at) => (
    <Fragment key={placeKey(at)}>{styled(<OnePiece piece={piece} />, piece.style ?? {})}</Fragment>
  ));
}

function styled(node: ReactNode, { bold, italic, strike, code, underline }: Style): ReactNode {
  let drawn = node;
  if (code) drawn = <code>{drawn}</code>;
  if (strike) drawn = <s>{drawn}</s>;
  if (underline) drawn = <u>{drawn}</u>;
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
    case "usergroup":
      return <span className="mention">@{(piece.name ?? piece.id).replace(/^@/, "")}</span>;
    case "broadcast":
      return <span className="mention is-loud">@{piece.range}</span>;
    case "emoji":
      return <Emoji name={piece.name} unicode={piece.unicode} />;
    case "date":
      return <SlackDate {...piece} />;
  }
}

function SlackDate({ timestamp, format, fallback, url }: Extract<Piece, { type: "date" }>): ReactNode {
  const { you } = useStage();
  const written = useOfNow((now) => formatSlackDate(timestamp, format, { timeZone: you.timeZone, now }));
  if (written === "") return fallback;
  // That it has become "2 minutes ago" is no news, and is not read out.
  const time = (
    <time
      aria-live="off"
      dateTime={new Date(timestamp * 1000).toISOString()}
      title={`${fallback} · shown in ${you.timeZone}`}
    >
      {written}
    </time>
  );
  return url ? <Link url={url}>{time}</Link> : time;
}

/** A link that leads out of the page; an address that no browser should follow is text. */
export function Link({ url, children }: { url: string; children: ReactNode }): ReactNode {
  if (!/^(https?|mailto):/i.test(url)) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
