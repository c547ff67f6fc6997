import { useEffect, useRef } from "react";
import { type Place, writeAddress } from "./place.js";

/**
 * Keeps the page's address that of what is looked at, so that the browser's "back" leads to what was looked at before.
 * To be used before whatever follows the address: it has to hear first that the browser has gone elsewhere.
 */
export function useWrittenAddress(you: string | undefined, place: Place): void {
  /** The address as it was written here, or as the browser last told it. */
  const last = useRef<string>(undefined);
  useEffect(() => {
    const hear = (): void => {
      last.current = location.hash;
    };
    addEventListener("hashchange", hear);
    return () => removeEventListener("hashchange", hear);
  }, []);
  useEffect(() => {
    if (you === undefined) return;
    const hash = writeAddress(you, place);
    const isFirst = last.current === undefined;
    // The browser has gone elsewhere and is about to say so; what it leads to must not be written over.
    if (!isFirst && location.hash !== last.current) return;
    // The address with which the page was opened leads nowhere else.
    if (isFirst && location.hash !== hash) history.replaceState(null, "", hash);
    else if (location.hash !== hash) history.pushState(null, "", hash);
    last.current = hash;
  }, [you, place]);
}
