import type { SeenMessage } from "@media-ops/fake-slack";
import { createContext, useContext, useEffect, useState } from "react";
import type {
  ActionResult,
  PersonAction,
  PersonInfo,
  PlaceInfo,
  Scene,
  WindowEvents,
} from "../../src/window/protocol.js";
import type { Json } from "./json.js";

/** The open place: a channel by its id, the direct conversation with the app, or the app's home. */
export type Place = string;

export const HOME: Place = "home";
export const DIRECT: Place = "direct";

/** Returns the conversation of a place. The home belongs to the direct conversation. */
export function placeOf({ places }: Scene, place: Place): PlaceInfo | undefined {
  if (place === HOME || place === DIRECT) return places.find(({ kind }) => kind === "direct");
  return places.find(({ id, kind }) => id === place && kind === "channel");
}

/** Returns the title of a conversation. */
export const titleOf = ({ name, kind }: PlaceInfo): string => (kind === "channel" ? `#${name}` : name);

/** The fragment of the page's URL, which lets reloads and second tabs show the same person's window and place. */
interface Address {
  readonly person: string | undefined;
  readonly place: Place | undefined;
}

export function readAddress(hash: string): Address {
  const [person, place] = hash.replace(/^#/, "").split("/");
  return { person: person || undefined, place: place || undefined };
}

export const writeAddress = (person: string, place: Place): string => `#${person}/${place}`;

/** Returns whether an address leads somewhere. The places of another person are unknown. */
export function isValid({ person, place }: Address, scene: Scene): boolean {
  if (person !== scene.you) return scene.people.some(({ id }) => id === person);
  return place !== undefined && placeOf(scene, place) !== undefined;
}

export interface WindowState {
  /** The person who was selected last, whose scene may still be on its way. */
  readonly person: string | undefined;
  readonly scene: Scene | undefined;
  readonly place: Place;
  readonly thread: string | undefined;
  /** The newest timestamp that each person has seen in each conversation. */
  readonly seen: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Slack's own messages, kept until the page is reloaded. */
  readonly notices: readonly SeenMessage[];
}

/** A conversation, or a thread in it. */
export interface Where {
  readonly channelId: string;
  readonly threadTs?: string | undefined;
}

/** An event from the playground, or a change on the page itself. */
export type WindowChange =
  | { [Name in keyof WindowEvents]: { readonly event: Name; readonly data: WindowEvents[Name] } }[keyof WindowEvents]
  | { readonly event: "shown"; readonly data: Address }
  | { readonly event: "thread"; readonly data: string | undefined }
  | { readonly event: "notice"; readonly data: Where & { readonly at: number; readonly text: string } };

export const MOST_LOG_LINES = 500;

export function startState({ person, place = "" }: Address): WindowState {
  return { person, scene: undefined, place, thread: undefined, seen: {}, notices: [] };
}

export function changeState(state: WindowState, change: WindowChange): WindowState {
  const { scene } = state;
  switch (change.event) {
    case "scene":
      return enter(state, change.data);
    case "shown": {
      const person = change.data.person ?? state.person;
      const { place } = change.data;
      // The place of an address may no longer exist.
      if (place === undefined || (scene && !placeOf(scene, place))) return { ...state, person };
      return withSeen({ ...state, person, place, thread: place === state.place ? state.thread : undefined });
    }
    case "thread":
      return { ...state, thread: change.data };
    case "notice":
      return { ...state, notices: [...state.notices, noticeOf(change.data, state.notices.length)] };
    default:
      return scene ? withSeen({ ...state, scene: changeScene(scene, change) }) : state;
  }
}

function enter({ scene: before, seen, ...state }: WindowState, scene: Scene): WindowState {
  const { you } = scene;
  // The thread and the notices survive a reconnection, but belong to one person.
  const isSame = before?.you === you;
  const firstChannel = scene.places.find(({ kind }) => kind === "channel")?.id ?? DIRECT;
  const place = placeOf(scene, state.place) ? state.place : firstChannel;
  // In a window that is opened first, all is read.
  const all = () => Object.fromEntries(scene.places.map(({ id }) => [id, newestIn(scene)]));
  return withSeen({
    ...state,
    scene,
    place,
    thread: isSame && place === state.place ? state.thread : undefined,
    seen: { ...seen, [you]: seen[you] ?? all() },
    notices: isSame ? state.notices : [],
  });
}

const newestIn = ({ messages }: Scene): number => Number(messages.at(-1)?.ts ?? 0);

/** The open conversation is always read. */
function withSeen(state: WindowState): WindowState {
  const { scene, place, seen } = state;
  const here = scene && placeOf(scene, place);
  if (!here) return state;
  return { ...state, seen: { ...seen, [scene.you]: { ...seen[scene.you], [here.id]: newestIn(scene) } } };
}

/** Returns the number of unread messages by conversation id. As in Slack, replies in threads don't count. */
export function unreadIn({ scene, seen }: Pick<WindowState, "scene" | "seen">): Readonly<Record<string, number>> {
  const unread: Record<string, number> = {};
  for (const { channelId, threadTs, ts } of scene?.messages ?? []) {
    const isSeen = Number(ts) <= (seen[scene?.you ?? ""]?.[channelId] ?? 0);
    if (threadTs === undefined && !isSeen) unread[channelId] = (unread[channelId] ?? 0) + 1;
  }
  return unread;
}

function noticeOf({ at, text, ...where }: Where & { at: number; text: string }, count: number): SeenMessage {
  return {
    ...{ threadTs: undefined, ...where, text, from: "Slackbot", fromId: "USLACKBOT", blocks: [], files: [] },
    // Makes the timestamp unique.
    ts: (at / 1000 + count / 1_000_000).toFixed(6),
    isOnlyVisibleToYou: true,
    isEdited: false,
  };
}

type SceneChange = Exclude<WindowChange, { event: "scene" | "shown" | "thread" | "notice" }>;

function changeScene(scene: Scene, change: SceneChange): Scene {
  const { messages, log } = scene;
  const find = (one: { ts: string; channelId: string }): number =>
    messages.findIndex(({ ts, channelId }) => ts === one.ts && channelId === one.channelId);
  switch (change.event) {
    case "message": {
      const at = find(change.data);
      return { ...scene, messages: at < 0 ? [...messages, change.data] : messages.with(at, change.data) };
    }
    case "gone": {
      const gone = find(change.data);
      return { ...scene, messages: messages.filter((_, at) => at !== gone) };
    }
    case "log":
      return { ...scene, log: [...log, change.data].slice(-MOST_LOG_LINES) };
    default:
      return { ...scene, [change.event]: change.data };
  }
}

/** The context of the whole page: the person, the workspace, and the available actions. */
export interface Stage extends Pick<Scene, "people" | "places" | "app"> {
  readonly you: PersonInfo;
  readonly here: string | undefined;
  /** Acts, and shows an error in a conversation, or else as a toast. Resolves to false if it could not be performed. */
  readonly perform: (action: WindowAction, where?: Where) => Promise<boolean>;
  /** Shows a confirmation object. Resolves to whether the person confirmed it. */
  readonly confirm: (confirmation: Json) => Promise<boolean>;
}

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("useStage must be used inside a StageContext.");
  return stage;
}

/** What the parts of a person's window show, and how they change it. */
export interface WindowProps {
  readonly scene: Scene;
  readonly place: Place;
  /** The person who was selected last, whose scene may still be on its way. */
  readonly chosen: string;
  /** The messages of the open conversation, including the replies in its threads. */
  readonly messages: readonly SeenMessage[];
  /** The number of unread messages by conversation id. */
  readonly unread: Readonly<Record<string, number>>;
  /** How often the person has sent something. */
  readonly sent: number;
  /** Sends a line, and resolves to false if the playground could not be reached. */
  readonly send: (line: string, threadTs?: string) => Promise<boolean>;
  /** Opens a thread by the timestamp of its first message, or closes it. */
  readonly openThread: (ts: string | undefined) => void;
  readonly go: (person: string, place: Place) => void;
}

type WithoutPerson<D> = D extends unknown ? Omit<D, "person"> : never;

/** An action without its person. */
export type WindowAction = WithoutPerson<PersonAction>;

/** Performs an action of a person. */
export async function act(person: string, action: WindowAction): Promise<ActionResult> {
  try {
    const response = await fetch("api/do", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...action, person }),
    });
    return await response.json();
  } catch {
    return { error: "The playground did not answer. Is it still running?" };
  }
}

export type Connection = "live" | "connecting" | "reconnecting" | "stopped";

const EVENTS = ["scene", "message", "gone", "modal", "home", "incident", "log"] as const;
/** Longer than a restart takes. */
const STOPPED_MS = 6000;

/** Subscribes to the events of a person's window. The browser reconnects by itself. */
export function useConnection(person: string | undefined, onChange: (change: WindowChange) => void): Connection {
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    let stopped: ReturnType<typeof setTimeout> | undefined;
    // After a fresh start the person may be gone. The playground then sends the first person's window.
    const source = new EventSource(`api/window?person=${encodeURIComponent(person ?? "")}`);
    for (const event of EVENTS) {
      source.addEventListener(event, ({ data }: MessageEvent<string>) => onChange({ event, data: JSON.parse(data) }));
    }
    source.addEventListener("scene", () => {
      clearTimeout(stopped);
      stopped = undefined;
      setConnection("live");
    });
    source.addEventListener("error", () => {
      setConnection((now) => (now === "stopped" ? now : "reconnecting"));
      stopped ??= setTimeout(() => setConnection("stopped"), STOPPED_MS);
    });
    return () => {
      source.close();
      clearTimeout(stopped);
    };
  }, [person, onChange]);
  return connection;
}
