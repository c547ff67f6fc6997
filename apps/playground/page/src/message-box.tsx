import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Suggestion } from "../../src/window/protocol.js";
import { useStage } from "./stage.js";

interface MessageBoxProps {
  readonly label: string;
  /** Identifies the conversation or thread. */
  readonly draft: string;
  readonly isFocused?: boolean;
  /** Resolves to false if the line could not be sent. */
  readonly send: (line: string) => Promise<boolean>;
  /** Undefined in a thread, which has neither commands nor shortcuts. */
  readonly runShortcut?: (callbackId: string) => void;
}

// Unsent lines by person and conversation, kept while another conversation is open.
const drafts = new Map<string, string>();
/** The sent lines, newest last. */
const history: string[] = [];

/** The message input, with suggestions for commands and mentions of the app. */
export function MessageBox({ label, draft: of, isFocused = false, send, runShortcut }: MessageBoxProps): ReactNode {
  const { you } = useStage();
  const draft = `${you.id} ${of}`;
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(drafts.get(draft) ?? "");
  const [highlighted, highlight] = useState(-1);
  // A recalled line gets no suggestions until it is edited, because it is usually complete.
  const [isHushed, hush] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const id = useId();
  const offers = useOffers(text, runShortcut !== undefined);
  const isOpen = offers.length > 0 && !isHushed && hasFocus;

  useEffect(() => {
    drafts.set(draft, text);
  }, [draft, text]);
  useEffect(() => {
    if (isFocused) box.current?.focus();
  }, [isFocused]);

  const write = (next: string, { hushed = false } = {}): void => {
    setText(next);
    highlight(-1);
    hush(hushed);
  };
  const take = ({ line, shortcut }: Suggestion): void => {
    write(line ?? "");
    if (shortcut !== undefined) runShortcut?.(shortcut);
  };
  const sendNow = async (): Promise<void> => {
    const line = text.trim();
    if (line === "") return;
    remember(history, line);
    write("");
    // Restores a line that was not sent.
    if (!(await send(line))) setText((now) => now || line);
  };
  const recallLine = (direction: "older" | "newer"): boolean => {
    // Unsent lines are not replaced. In multi-line text, the arrow keys move the cursor.
    if ((text !== "" && !history.includes(text)) || text.includes("\n")) return false;
    const line = recall(history, text, direction);
    if (line !== undefined) write(line, { hushed: true });
    return line !== undefined;
  };
  /** Handles a key of the open list. Returns false if the list does not use the key. */
  const offerKey = (key: string): boolean => {
    const chosen = offers[highlighted];
    const taken = chosen ?? offers[0];
    if (key === "ArrowDown") highlight((highlighted + 1) % offers.length);
    else if (key === "ArrowUp") highlight(highlighted <= 0 ? offers.length - 1 : highlighted - 1);
    else if (key === "Escape") hush(true);
    else if (key === "Enter" && chosen) take(chosen);
    else if (key === "Tab" && taken) take(taken);
    else return false;
    return true;
  };
  const boxKey = (key: string): boolean => {
    if (key === "ArrowUp" || key === "ArrowDown") return recallLine(key === "ArrowUp" ? "older" : "newer");
    if (key === "Enter") void sendNow();
    return key === "Enter";
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, nativeEvent, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (nativeEvent.isComposing || ctrlKey || metaKey || altKey || shiftKey) return;
    if ((isOpen && offerKey(key)) || boxKey(key)) event.preventDefault();
  };
  return (
    <div className="message-box">
      {isOpen && <OfferList id={id} offers={offers} highlighted={highlighted} take={take} />}
      <div className="message-box-field">
        <textarea
          ref={box}
          aria-label={label}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={isOpen ? id : undefined}
          aria-activedescendant={isOpen && highlighted >= 0 ? `${id}-${highlighted}` : undefined}
          placeholder={label}
          rows={text.split("\n").length}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => write(target.value)}
          onFocus={() => setFocus(true)}
          onBlur={() => setFocus(false)}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          className="send"
          aria-label="Send"
          disabled={text.trim() === ""}
          onClick={() => void sendNow()}
        >
          <span className="icon is-send" />
        </button>
      </div>
      <p className="muted is-small box-hint" aria-hidden="true">
        <kbd>Enter</kbd> to send{runShortcut && " · "}
        {runShortcut && <kbd>/</kbd>}
        {runShortcut && " for commands"} · <kbd>@</kbd> for the bot · <kbd>↑</kbd> for earlier lines
      </p>
    </div>
  );
}

/** Adds a sent line as the newest, and removes an earlier duplicate. */
export function remember(lines: string[], line: string): void {
  const before = lines.indexOf(line);
  if (before >= 0) lines.splice(before, 1);
  lines.push(line);
}

/** Returns the line before or after the shown one, or undefined. After the newest line comes an empty one. */
export function recall(lines: readonly string[], shown: string, direction: "older" | "newer"): string | undefined {
  const at = lines.lastIndexOf(shown);
  if (direction === "older") return lines[at < 0 ? lines.length - 1 : at - 1];
  return at < 0 ? undefined : (lines[at + 1] ?? "");
}

/** Debounce time: a faster typist causes one request. */
const TYPED_MS = 60;
const NONE: readonly Suggestion[] = [];

function useOffers(text: string, hasCommands: boolean): readonly Suggestion[] {
  const [answer, setAnswer] = useState({ text: "", offers: NONE });
  const isOffered = (text.startsWith("/") ? hasCommands : text.includes("@")) && !text.includes("\n");
  useEffect(() => {
    if (!isOffered) return;
    const ask = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const query = new URLSearchParams({ line: text });
        const response = await fetch(`api/suggestions?${query}`, { signal: ask.signal });
        setAnswer({ text, offers: await response.json() });
      } catch {
        // Suggestions are optional.
      }
    }, TYPED_MS);
    return () => {
      clearTimeout(timer);
      ask.abort();
    };
  }, [text, isOffered]);
  return isOffered && answer.text === text ? answer.offers : NONE;
}

interface OfferListProps {
  readonly id: string;
  readonly offers: readonly Suggestion[];
  readonly highlighted: number;
  readonly take: (offer: Suggestion) => void;
}

function OfferList({ id, offers, highlighted, take }: OfferListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[highlighted]?.scrollIntoView({ block: "nearest" });
  }, [highlighted]);
  return (
    <div className="offers">
      <div role="listbox" id={id} ref={list} aria-label="Suggestions" className="offer-list">
        {offers.map((offer, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the message box handles the keys of its list.
          <div
            key={offer.word}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === highlighted}
            className="offer"
            // Keeps the focus in the message box.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(offer)}
          >
            <span className="offer-word">{offer.word}</span>
            {offer.hint && <span className="muted offer-hint">{offer.hint}</span>}
            <span className="muted is-small">{offer.about}</span>
          </div>
        ))}
      </div>
      <div className="muted is-small offers-foot" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> to choose · <kbd>Tab</kbd> to take · <kbd>Esc</kbd> to close
      </div>
    </div>
  );
}
