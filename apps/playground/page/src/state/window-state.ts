import type { Scene, WindowEvents } from "../../../src/window/protocol.js";
import { DIRECT, type Place, placeOf } from "./place.js";

/** A message of Slack itself to one person, until the page is reloaded. */
export interface Notice {
  readonly id: number;
  readonly channelId: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

export interface WindowState {
  /** Undefined until it is loaded. */
  readonly scene: Scene | undefined;
  /** The open place. */
  readonly place: Place;
  /** The number of unread messages by conversation id. */
  readonly unread: Readonly<Record<string, number>>;
  readonly notices: readonly Notice[];
}

type WindowEvent = { [Name in keyof WindowEvents]: { readonly event: Name; readonly data: WindowEvents[Name] } };

/** An event from the playground, or a change on the page itself. */
export type WindowChange =
  | WindowEvent[keyof WindowEvent]
  | { readonly event: "shown"; readonly data: Place }
  | { readonly event: "notice"; readonly data: Omit<Notice, "id"> };

export const MOST_EXCHANGES = 200;
export const MOST_LOG_LINES = 300;

export function startState(place: Place): WindowState {
  return { scene: undefined, place, unread: {}, notices: [] };
}

export function changeState(state: WindowState, change: WindowChange): WindowState {
  switch (change.event) {
    case "scene":
      return enter(state, change.data);
    case "shown":
      // The place of an address may be gone.
      if (state.scene && !placeOf(state.scene, change.data)) return state;
      return { ...state, place: change.data, unread: readIn(state.unread, state.scene, change.data) };
    case "notice":
      return { ...state, notices: [...state.notices, { ...change.data, id: (state.notices.at(-1)?.id ?? 0) + 1 }] };
    default:
      return state.scene ? { ...state, ...changeScene(state, state.scene, change) } : state;
  }
}

function enter(state: WindowState, scene: Scene): WindowState {
  // A reconnection keeps these; another person has their own.
  const isSame = state.scene?.you === scene.you;
  const known = placeOf(scene, state.place) ? state.place : firstPlace(scene);
  return {
    scene,
    place: known,
    unread: isSame ? state.unread : {},
    notices: isSame ? state.notices : [],
  };
}

function firstPlace(scene: Scene): Place {
  return scene.places.find(({ kind }) => kind === "channel")?.id ?? DIRECT;
}

function changeScene(
  state: WindowState,
  scene: Scene,
  change: Exclude<WindowChange, { event: "scene" | "shown" | "notice" }>,
): Partial<WindowState> {
  switch (change.event) {
    case "message": {
      const { data } = change;
      const at = scene.messages.findIndex(({ ts, channelId }) => ts === data.ts && channelId === data.channelId);
      if (at >= 0) return { scene: { ...scene, messages: scene.messages.with(at, data) } };
      const isSeen = placeOf(scene, state.place)?.id === data.channelId;
      const counted = { ...state.unread, [data.channelId]: (state.unread[data.channelId] ?? 0) + 1 };
      return { scene: { ...scene, messages: [...scene.messages, data] }, unread: isSeen ? state.unread : counted };
    }
    case "gone": {
      const { ts, channelId } = change.data;
      const isLeft = (one: { ts: string; channelId: string }) => one.ts !== ts || one.channelId !== channelId;
      return { scene: { ...scene, messages: scene.messages.filter(isLeft) } };
    }
    case "modal":
      return { scene: { ...scene, modal: change.data } };
    case "home":
      return { scene: { ...scene, home: change.data } };
    case "exchange":
      return { scene: { ...scene, exchanges: added(scene.exchanges, change.data, MOST_EXCHANGES) } };
    case "log":
      return { scene: { ...scene, log: added(scene.log, change.data, MOST_LOG_LINES) } };
  }
}

function added<T extends { id: number }>(list: readonly T[], one: T, most: number): readonly T[] {
  const at = list.findLastIndex(({ id }) => id === one.id);
  return at >= 0 ? list.with(at, one) : [...list, one].slice(-most);
}

function readIn(unread: WindowState["unread"], scene: Scene | undefined, place: Place): WindowState["unread"] {
  const id = scene && placeOf(scene, place)?.id;
  if (id === undefined) return unread;
  const { [id]: _, ...left } = unread;
  return left;
}
