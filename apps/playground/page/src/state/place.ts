import { useEffect } from "react";
import type { PlaceInfo, Scene } from "../../../src/window/protocol.js";

/** The open place: a channel by its id, the direct conversation with the app, or the app's home. */
export type Place = string;

export const HOME: Place = "home";
export const DIRECT: Place = "direct";

/** Returns the conversation of a place. The home belongs to the direct conversation. */
export function placeOf(scene: Scene, place: Place): PlaceInfo | undefined {
  if (place === HOME || place === DIRECT) return scene.places.find(({ kind }) => kind === "direct");
  return scene.places.find(({ id, kind }) => id === place && kind === "channel");
}

/** Returns the title of a conversation. */
export function titleOf({ name, kind }: PlaceInfo): string {
  return kind === "channel" ? `#${name}` : name;
}

/** The fragment of the page's URL, which lets reloads and second tabs show the same place. */
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

/** Calls back when the page's address changes. */
export function useAddressChanges(follow: (address: Address) => void): void {
  useEffect(() => {
    const hear = (): void => follow(readAddress(location.hash));
    addEventListener("hashchange", hear);
    return () => removeEventListener("hashchange", hear);
  }, [follow]);
}

/**
 * Adds a place to the browser's history. Call it in the click handler, because the browser may have navigated elsewhere
 * by the next render.
 */
export function pushAddress(person: string, place: Place): void {
  const hash = writeAddress(person, place);
  if (hash !== location.hash) history.pushState(null, "", hash);
}

/** Replaces an invalid address with that of the shown place. */
export function useValidAddress(scene: Scene | undefined, place: Place): void {
  useEffect(() => {
    if (scene && !leadsSomewhere(readAddress(location.hash), scene)) {
      history.replaceState(null, "", writeAddress(scene.you, place));
    }
  }, [scene, place]);
}

function leadsSomewhere({ person, place }: Address, scene: Scene): boolean {
  // The places of another person are unknown here.
  if (person !== scene.you) return scene.people.some(({ id }) => id === person);
  return place !== undefined && placeOf(scene, place) !== undefined;
}
