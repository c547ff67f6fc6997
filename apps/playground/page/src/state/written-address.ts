import { useEffect, useRef } from "react";
import { type Place, writeAddress } from "./place.js";

/** Keeps the page's address that of what is looked at, so that the browser's "back" leads to what was looked at before. */
export function useWrittenAddress(you: string | undefined, place: Place): void {
  const last = useRef<string>(undefined);
  useEffect(() => {
    if (you === undefined) return;
    const hash = writeAddress(you, place);
    // An address that was not written here leads nowhere else, such as that with which the page was opened.
    if (location.hash === last.current && last.current !== hash) history.pushState(null, "", hash);
    else if (location.hash !== hash) history.replaceState(null, "", hash);
    last.current = hash;
  }, [you, place]);
}
