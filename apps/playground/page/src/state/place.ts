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
