import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { CommandInfo, ShortcutInfo, Suggestion } from "../../../src/window/protocol.js";
import { isObject, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";

/** An item of the list above the message box. */
export interface Offer {
  readonly key: string;
  readonly word: string;
  readonly hint: string;
  readonly about: string;
  readonly take: { readonly line: string } | { readonly shortcut: string };
}

/** The commands and shortcuts that match a typed name. */
export function namedOffers(
  text: string,
  commands: readonly CommandInfo[],
  shortcuts: readonly ShortcutInfo[],
): Offer[] {
  if (!/^\/\S*$/.test(text)) return [];
  const wanted = text.slice(1).toLowerCase();
  return [
    ...commands
      .filter(({ name }) => name.startsWith(text))
      .map(({ name, hint, about }) => ({ key: name, word: name, hint, about, take: { line: `${name} ` } })),
    ...shortcuts
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .map(({ callbackId, name, about }) => ({
        key: callbackId,
        word: name,
        hint: "",
        about,
        take: { shortcut: callbackId },
      })),
  ];
}

/** Whether the playground can complete a line. */
export function isContinued(text: string, commands: readonly CommandInfo[]): boolean {
  return !text.includes("\n") && commands.some(({ name }) => text.startsWith(`${name} `));
}

function suggestionOffers(suggestions: readonly Suggestion[]): Offer[] {
  return suggestions.map(({ line, word, about }) => ({ key: line, word, hint: "", about, take: { line } }));
}

/** Reads the playground's suggestions; invalid ones are left out. */
export function readSuggestions(answer: unknown): Suggestion[] {
  if (!Array.isArray(answer)) return [];
  return answer.filter(isObject).flatMap(({ line, word, about }) => {
    return stringIn(line) === "" ? [] : [{ line: stringIn(line), word: stringIn(word), about: stringIn(about) }];
  });
}

/** Typing faster than this asks once. */
const TYPED_MS = 60;

/** The completions of a typed text. */
export function useOffers(
  text: string,
  commands: readonly CommandInfo[],
  shortcuts: readonly ShortcutInfo[],
): readonly Offer[] {
  const { you } = useStage();
  const [asked, setAsked] = useState<{ text: string; offers: readonly Offer[] }>({ text: "", offers: [] });
  const isAsked = isContinued(text, commands);
  useEffect(() => {
    if (!isAsked) return;
    const ask = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const query = new URLSearchParams({ line: text, person: you.id });
        const response = await fetch(`api/suggestions?${query.toString()}`, { signal: ask.signal });
        const offers = response.ok ? suggestionOffers(readSuggestions(await response.json())) : [];
        setAsked({ text, offers: offers.filter(({ take }) => !("line" in take && take.line === text)) });
      } catch {
        // Completions are optional.
      }
    }, TYPED_MS);
    return () => {
      clearTimeout(timer);
      ask.abort();
    };
  }, [text, isAsked, you.id]);
  const named = useMemo(() => namedOffers(text, commands, shortcuts), [text, commands, shortcuts]);
  if (isAsked) return asked.text === text ? asked.offers : [];
  return named;
}

interface OfferListProps {
  readonly id: string;
  readonly offers: readonly Offer[];
  readonly highlighted: number;
  readonly take: (offer: Offer) => void;
}

/** The list of completions; the message box handles its keys. */
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
