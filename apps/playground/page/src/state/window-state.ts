import type { SeenMessage } from "@media-ops/fake-slack";
import type { Scene, WindowEvents } from "../../../src/window/protocol.js";
import { DIRECT, type Place, placeOf } from "./place.js";

export interface WindowState {
  /** Undefined until it is loaded. */
  readonly scene: Scene | undefined;
  /** The open place. */
  readonly place: Place;
  /** The timestamp of the message whose thread is open. */
  readonly thread: string | undefined;
  /** The number of unread messages by conversation id. */
  readonly unread: Readonly<Record<string, number>>;
  /** How the windows of other people were left, by person. */
  readonly left: Readonly<Record<string, LeftWindow>>;
  /** Slack's own messages, kept until the page is reloaded. */
  readonly notices: readonly SeenMessage[];
}

/** What a person had read when another person's window was opened. */
interface LeftWindow {
  readonly unread: WindowState["unread"];
  /** The timestamp of the newest message. */
  readonly latest: number;
}

type WindowEvent = { [Name in keyof WindowEvents]: { readonly event: Name; readonly data: WindowEvents[Name] } };

/** An error that Slack shows in a conversation. */
interface NoticeData {
  readonly channelId: string;
  readonly threadTs?: string | undefined;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly text: string;
}

/** An event from the playground, or a change on the page itself. */
export type WindowChange =
  | WindowEvent[keyof WindowEvent]
  | { readonly event: "shown"; readonly data: Place }
  | { readonly event: "thread"; readonly data: string | undefined }
  | { readonly event: "notice"; readonly data: NoticeData };

export const MOST_EXCHANGES = 200;
export const MOST_LOG_LINES = 300;

export function startState(place: Place): WindowState {
  return { scene: undefined, place, thread: undefined, unread: {}, left: {}, notices: [] };
}

export function changeState(state: WindowState, change: WindowChange): WindowState {
  switch (change.event) {
    case "scene":
      return enter(state, change.data);
    case "shown":
      // The place of an address may no longer exist.
      if (state.scene && !placeOf(state.scene, change.data)) return state;
      return {
        ...state,
        place: change.data,
        thread: change.data === state.place ? state.thread : undefined,
        unread: readIn(state.unread, state.scene, change.data),
      };
    case "thread":
      return { ...state, thread: change.data };
    case "notice":
      return { ...state, notices: [...state.notices, noticeOf(change.data, state.notices.length)] };
    default:
      return state.scene ? { ...state, ...changeScene(state, state.scene, change) } : state;
  }
}

function noticeOf({ channelId, threadTs, at, text }: NoticeData, count: number): SeenMessage {
  return {
    ...{ channelId, threadTs, text, from: "Slackbot", fromId: "USLACKBOT", blocks: [], files: [] },
    // Makes the timestamp unique.
    ts: (at / 1000 + count / 1_000_000).toFixed(6),
    isOnlyVisibleToYou: true,
    isEdited: false,
  };
}

function enter(state: WindowState, scene: Scene): WindowState {
  // These survive a reconnection, but belong to one person.
  const isSame = state.scene?.you === scene.you;
  const known = placeOf(scene, state.place) ? state.place : firstPlace(scene);
  const left = isSame || !state.scene ? state.left : { ...state.left, [state.scene.you]: leave(state, state.scene) };
  return {
    scene,
    left,
    place: known,
    thread: isSame && known === state.place ? state.thread : undefined,
    unread: isSame ? state.unread : readIn(unreadSince(left[scene.you], scene), scene, known),
    notices: isSame ? state.notices : [],
  };
}

function leave({ unread }: WindowState, { messages }: Scene): LeftWindow {
  return { unread, latest: Math.max(0, ...messages.map(({ ts }) => Number(ts))) };
}

/** Counts what a person has not read since their window was left. In a window that is opened first, all is read. */
function unreadSince(left: LeftWindow | undefined, { messages }: Scene): WindowState["unread"] {
  if (!left) return {};
  const unread: Record<string, number> = { ...left.unread };
  for (const { channelId, threadTs, ts } of messages) {
    if (threadTs === undefined && Number(ts) > left.latest) unread[channelId] = (unread[channelId] ?? 0) + 1;
  }
  return unread;
}

function firstPlace(scene: Scene): Place {
  return scene.places.find(({ kind }) => kind === "channel")?.id ?? DIRECT;
}

function changeScene(
  state: WindowState,
  scene: Scene,
  change: Exclude<WindowChange, { event: "scene" | "shown" | "thread" | "notice" }>,
): Partial<WindowState> {
  switch (change.event) {
    case "message": {
      const { data } = change;
      const at = scene.messages.findIndex(({ ts, channelId }) => ts === data.ts && channelId === data.channelId);
      if (at >= 0) return { scene: { ...scene, messages: scene.messages.with(at, data) } };
      // As in Slack, replies in threads don't make a channel unread.
      const isSeen = data.threadTs !== undefined || placeOf(scene, state.place)?.id === data.channelId;
      const counted = { ...state.unread, [data.channelId]: (state.unread[data.channelId] ?? 0) + 1 };
      return { scene: { ...scene, messages: [...scene.messages, data] }, unread: isSeen ? state.unread : counted };
    }
    case "gone": {
      const { ts, channelId } = change.data;
      const isLeft = (one: { ts: string; channelId: string }) => one.ts !== ts || one.channelId !== channelId;
      return { scene: { ...scene, messages: scene.messages.filter(isLeft) } };
    }
    case "modal":
    case "home":
    case "incident":
      return { scene: { ...scene, [change.event]: change.data } };
    case "exchange":
      return { scene: { ...scene, exchanges: [...scene.exchanges, change.data].slice(-MOST_EXCHANGES) } };
    case "log":
      return { scene: { ...scene, log: [...scene.log, change.data].slice(-MOST_LOG_LINES) } };
  }
}

function readIn(unread: WindowState["unread"], scene: Scene | undefined, place: Place): WindowState["unread"] {
  const id = scene && placeOf(scene, place)?.id;
  if (id === undefined) return unread;
  const { [id]: _, ...left } = unread;
  return left;
}
