// What the page and its server say to each other: types alone, for both sides.
import type { Entry, SeenMessage, SeenView } from "@media-ops/fake-slack";

/** Somebody whose window can be looked through. */
export interface PersonInfo {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly isAdmin: boolean;
  /** By its IANA name: times are shown in it. */
  readonly timeZone: string;
}

/** A conversation. */
export interface PlaceInfo {
  readonly id: string;
  /** Without its "#"; a direct conversation has the app's name. */
  readonly name: string;
  readonly kind: "channel" | "direct";
}

/** What a command is, as Slack lists it. */
export interface CommandInfo {
  /** With its slash. */
  readonly name: string;
  readonly about: string;
  readonly hint: string;
}

/** One of the app's shortcuts. */
export interface ShortcutInfo {
  readonly callbackId: string;
  readonly name: string;
  readonly about: string;
}

/**
 * Something that went between Slack and the app: what its developers would look at, and so the same in all windows,
 * whoever it was for.
 */
export interface Exchange {
  readonly id: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** "delivery": Slack sent it to the app; "call": the app called Slack. */
  readonly what: "call" | "delivery";
  readonly name: string;
  /** The HTTP status of the answer; undefined where there was none. */
  readonly status: number | undefined;
  /** In one line, such as the command that was typed. */
  readonly about: string;
  /** All of it, without secrets. */
  readonly detail: unknown;
}

/** A line that the service or the bot has logged. */
export interface LogLine {
  readonly id: number;
  readonly at: number;
  readonly from: "service" | "bot";
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
  readonly text: string;
  /** All else that stands in the line. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * All that one person sees, and what happened so far; comes first, and again after each reconnection.
 *
 * `GET api/window?person=U…` is the stream; it is the first one's window where nobody is named who is there.
 */
export interface Scene {
  readonly team: string;
  /** The app's name in conversations. */
  readonly app: { readonly name: string; readonly userId: string };
  readonly people: readonly PersonInfo[];
  /** Whose window it is. */
  readonly you: string;
  readonly places: readonly PlaceInfo[];
  readonly commands: readonly CommandInfo[];
  readonly shortcuts: readonly ShortcutInfo[];
  /** Of all places, the oldest first. */
  readonly messages: readonly SeenMessage[];
  readonly modal: SeenView | null;
  readonly home: SeenView | null;
  readonly exchanges: readonly Exchange[];
  readonly log: readonly LogLine[];
}

/** What comes after it, as server-sent events: the name is the event's, the rest its data. */
export interface WindowEvents {
  readonly scene: Scene;
  /** New, or changed. */
  readonly message: SeenMessage;
  readonly gone: { readonly channelId: string; readonly ts: string };
  readonly modal: SeenView | null;
  readonly home: SeenView | null;
  readonly exchange: Exchange;
  readonly log: LogLine;
}

/** Where something stands that a person acts on. */
export type Surface =
  | { readonly kind: "message"; readonly channelId: string; readonly ts: string }
  | { readonly kind: "view"; readonly id: string };

/** What a person does: the body of `POST api/do`. */
export type PersonAction = { readonly person: string } & (
  | { readonly do: "command"; readonly place: string; readonly line: string }
  | { readonly do: "say"; readonly place: string; readonly text: string }
  | { readonly do: "press"; readonly on: Surface; readonly blockId: string; readonly actionId: string }
  | {
      readonly do: "choose";
      readonly on: Surface;
      readonly blockId: string;
      readonly actionId: string;
      readonly entry: Entry;
    }
  /** The top modal, with what was entered by the blocks' ids. */
  | { readonly do: "submit"; readonly view: string; readonly entries: Readonly<Record<string, Entry>> }
  | { readonly do: "close" }
  | { readonly do: "home" }
  | { readonly do: "shortcut"; readonly callbackId: string }
);

/** What came of it: 200 with what Slack shows where the app did not take it, or 400 with why it cannot be done. */
export interface ActionResult {
  readonly shownError?: string;
  readonly error?: string;
}

/** A way in which a line could go on: an answer to `GET api/suggestions?line=…` is a list of them. */
export interface Suggestion {
  /** The whole line as it would stand. */
  readonly line: string;
  /** What is new in it. */
  readonly word: string;
  readonly about: string;
}
