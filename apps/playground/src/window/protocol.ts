// The types of the page's API, for both sides.
import type { Entry, SeenMessage, SeenView } from "@media-ops/fake-slack";

/** A person whose window the page can show. */
export interface PersonInfo {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly isAdmin: boolean;
  /** The IANA name; times are shown in it. */
  readonly timeZone: string;
}

/** A conversation. */
export interface PlaceInfo {
  readonly id: string;
  /** Without its "#"; a direct conversation has the app's name. */
  readonly name: string;
  readonly kind: "channel" | "direct";
}

/** A slash command, as Slack lists it. */
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
 * A request between Slack and the app. All windows show all of them.
 */
export interface Exchange {
  readonly id: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** "delivery": Slack sent it to the app; "call": the app called Slack. */
  readonly what: "call" | "delivery";
  readonly name: string;
  /** The HTTP status of the answer; undefined without an answer. */
  readonly status: number | undefined;
  /** A summary in one line, such as the typed command. */
  readonly about: string;
  /** The whole request and answer, without secrets. */
  readonly detail: unknown;
}

/** A log line of the service or the bot. */
export interface LogLine {
  readonly id: number;
  readonly at: number;
  readonly from: "service" | "bot";
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
  readonly text: string;
  /** The other fields of the line. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Everything that a person sees, and what happened so far; the first event of a stream.
 *
 * `GET api/window?person=U…` is the stream; without a known person, it is that of the first one.
 */
export interface Scene {
  readonly team: string;
  /** The app's name in conversations. */
  readonly app: { readonly name: string; readonly userId: string };
  readonly people: readonly PersonInfo[];
  /** The id of the person. */
  readonly you: string;
  readonly places: readonly PlaceInfo[];
  readonly commands: readonly CommandInfo[];
  readonly shortcuts: readonly ShortcutInfo[];
  /** Of all conversations, the oldest first. */
  readonly messages: readonly SeenMessage[];
  readonly modal: SeenView | null;
  readonly home: SeenView | null;
  readonly exchanges: readonly Exchange[];
  readonly log: readonly LogLine[];
}

/** The server-sent events of the stream, by name. */
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

/** The message or view that contains an element. */
export type Surface =
  | { readonly kind: "message"; readonly channelId: string; readonly ts: string }
  | { readonly kind: "view"; readonly id: string };

/** An action of a person: the body of `POST api/do`. */
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
  /** Submits the modal with entries by block id. */
  | { readonly do: "submit"; readonly view: string; readonly entries: Readonly<Record<string, Entry>> }
  | { readonly do: "close" }
  | { readonly do: "home" }
  | { readonly do: "shortcut"; readonly callbackId: string }
);

/** The result: 200 with the error that Slack shows if the app failed, or 400 with why it can't be performed. */
export interface ActionResult {
  readonly shownError?: string;
  readonly error?: string;
}

/** A completion of a typed line; `GET api/suggestions?line=…` answers a list of them. */
export interface Suggestion {
  /** The completed line. */
  readonly line: string;
  /** The completed word. */
  readonly word: string;
  readonly about: string;
}
