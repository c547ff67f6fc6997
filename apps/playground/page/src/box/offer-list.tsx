import { type ReactNode, useEffect, useRef } from "react";
import type { Offer } from "./offers.js";

interface OfferListProps {
  readonly id: string;
  readonly offers: readonly Offer[];
  readonly highlighted: number;
  readonly take: (offer: Offer) => void;
}

/** How a line could go on; the keys are the message box's. */
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
            key={offer.key}
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
