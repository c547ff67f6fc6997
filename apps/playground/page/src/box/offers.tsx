import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Suggestion } from "../../../src/window/protocol.js";
import { useStage } from "../state/stage.js";

/** Typing faster than this asks once. */
const TYPED_MS = 60;
const NONE: readonly Suggestion[] = [];

/** The playground's suggestions for a typed text. */
export function useOffers(text: string): readonly Suggestion[] {
  const { you } = useStage();
  const [answer, setAnswer] = useState({ text: "", offers: NONE });
  const isCommand = text.startsWith("/") && !text.includes("\n");
  useEffect(() => {
    if (!isCommand) return;
    const ask = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const query = new URLSearchParams({ line: text, person: you.id });
        const response = await fetch(`api/suggestions?${query}`, { signal: ask.signal });
        setAnswer({ text, offers: response.ok ? await response.json() : NONE });
      } catch {
        // Suggestions are optional.
      }
    }, TYPED_MS);
    return () => {
      clearTimeout(timer);
      ask.abort();
    };
  }, [text, isCommand, you.id]);
  return isCommand && answer.text === text ? answer.offers : NONE;
}

interface OfferListProps {
  readonly id: string;
  readonly offers: readonly Suggestion[];
  readonly highlighted: number;
  readonly take: (offer: Suggestion) => void;
}

/** The list of suggestions; the message box handles its keys. */
export function OfferList({ id, offers, highlighted, take }: OfferListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[highlighted]?.scrollIntoView({ block: "nearest" });
  }, [highlighted]);
  return (
    <div className="offers">
      <div role="listbox" id={id} ref={list} aria-label="Suggestions" className="offer-list">
        {offers.map((offer, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the message box has the keys of its list.
          <div
            key={offer.word}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === highlighted}
            className="offer"
            // The message box keeps the focus.
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
