import { useEffect } from "react";
import type { Scene } from "../../../src/window/protocol.js";
import { type Address, type Place, placeOf, readAddress, writeAddress } from "./place.js";

/** Hears where the browser's "back" and "forward" lead, and what a person writes into the page's address. */
export function useFollowedAddress(follow: (address: Address) => void): void {
  useEffect(() => {
    const hear = (): void => follow(readAddress(location.hash));
    addEventListener("hashchange", hear);
    return () => removeEventListener("hashchange", hear);
  }, [follow]);
}

/**
 * Writes down where a person goes, so that "back" leads to what was looked at before. To be called as they go, not once
 * the page has come there: meanwhile the browser may have been led elsewhere.
 */
export function goneTo(person: string, place: Place): void {
  const hash = writeAddress(person, place);
  if (hash !== location.hash) history.pushState(null, "", hash);
}

/** An address that leads nowhere becomes that of what is shown instead. */
export function useMendedAddress(scene: Scene | undefined, place: Place): void {
  useEffect(() => {
    if (scene && !leadsSomewhere(readAddress(location.hash), scene)) {
      history.replaceState(null, "", writeAddress(scene.you, place));
    }
  }, [scene, place]);
}

function leadsSomewhere({ person, place }: Address, scene: Scene): boolean {
  // What others can look at is told when it is they who look.
  if (person !== scene.you) return scene.people.some(({ id }) => id === person);
  return place !== undefined && placeOf(scene, place) !== undefined;
}
