import type { Person, Place, Workspace } from "@media-ops/fake-slack";
import type { CommandInfo, Exchange, LogLine, PersonInfo, PlaceInfo, Scene, ShortcutInfo } from "./protocol.js";

// What a person would scroll through. More would only make each reconnection slow.
const MESSAGES_OF_A_PLACE = 500;

/** What a scene is made of. */
export interface Setting {
  readonly team: Workspace;
  readonly people: readonly Person[];
  readonly app: { readonly name: string };
  readonly commands: readonly CommandInfo[];
  readonly shortcuts: readonly ShortcutInfo[];
  readonly exchanges: { readonly items: readonly Exchange[] };
  readonly log: { readonly lines: readonly LogLine[] };
}

/** All that somebody sees at this moment. */
export function sceneOf(setting: Setting, person: Person): Scene {
  const { team, people, app, commands, shortcuts, exchanges, log } = setting;
  const places = placesOf(team, person);
  const messages = places.flatMap((place) => person.sees(place).slice(-MESSAGES_OF_A_PLACE));
  return {
    team: team.name,
    app: { name: app.name, userId: team.isInstalled ? team.botUserId : "" },
    people: people.map(infoOf),
    you: person.id,
    places: places.map((place) => placeInfo(place, app.name)),
    commands,
    shortcuts,
    messages: messages.sort((one, other) => compare(one.ts, other.ts)),
    modals: person.modals,
    home: person.home ?? null,
    exchanges: exchanges.items,
    log: log.lines,
  };
}

/** The conversations that somebody is in; the one with the app comes last. */
export function placesOf(team: Workspace, person: Person): Place[] {
  const channels = team.places.filter((place) => place.has(person));
  return team.isInstalled ? [...channels, person.directPlace] : channels;
}

function infoOf({ id, name, realName, isAdmin, timeZone }: Person): PersonInfo {
  return { id, name, realName, isAdmin, timeZone };
}

function placeInfo({ id, name, kind }: Place, appName: string): PlaceInfo {
  return kind === "im" ? { id, name: appName, kind: "direct" } : { id, name, kind: "channel" };
}

/** Timestamps have the same number of digits on both sides of the point. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
