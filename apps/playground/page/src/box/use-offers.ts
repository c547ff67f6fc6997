import { useEffect, useMemo, useState } from "react";
import type { CommandInfo, ShortcutInfo } from "../../../src/window/protocol.js";
import { useStage } from "../state/stage.js";
import { isContinued, namedOffers, type Offer, readSuggestions, suggestionOffers } from "./offers.js";

/** Fast typing asks once. */
const TYPED_MS = 60;

/** How what is typed could go on. */
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
        // Without suggestions, one can still type.
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
