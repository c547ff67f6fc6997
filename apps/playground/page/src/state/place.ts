import { useEffect } from "react";
import type { PlaceInfo, Scene } from "../../../src/window/protocol.js";

/** What is looked at: a channel by its id, the direct conversation with the app, or the app's home. */
export type Place = string;

export const HOME: Place = "home";
export const DIRECT: Place = "direct";

/** The conversation that is meant; the home stands above the direct one. */
export function placeOf(scene: Scene, place: Place): PlaceInfo | undefined {
  if (place === HOME || place === DIRECT) return scene.places.find(({ kind }) => kind === "direct");
  return scene.places.find(({ id, kind }) => id === place && kind === "channel");
}

/** How a conversation is called. */
export function titleOf({ name, kind }: PlaceInfo): string {
  return kind === "channel" ? `#${name}` : name;
}

/** What stands behind the "#" of the page's address, so that it can be loaded anew or opened twice. */
export interface Address {
  readonly person: string | undefined;
  readonly place: Place | undefined;
}

export function readAddress(hash: string): Address {
  const [person, place] = hash.replace(/^#/, "").split("/");
  return { person: person || undefined, place: place || undefined };
}

export function writeAddress(person: string, place: Place): string {
  return `#${person}/${place}`;
}

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
