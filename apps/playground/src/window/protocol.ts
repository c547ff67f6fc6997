// The page's API, shared by the server and the page.
import type { Person, SeenMessage, SeenView } from "@media-ops/fake-slack";
import * as z from "zod";

/** A person whose window the page can show. Times are shown in their time zone. */
export type PersonInfo = Readonly<Pick<Person, "id" | "name" | "realName" | "isAdmin" | "timeZone">>;

/** A conversation. */
export interface PlaceInfo {
  readonly id: string;
  /** Without its "#". A direct conversation has the app's name. */
  readonly name: string;
  readonly kind: "channel" | "direct";
}

/** A log line of the service or the bot, or a request between Slack and the app. All windows show all of them. */
export interface LogLine {
  readonly id: number;
  readonly at: number;
  readonly from: "service" | "bot" | "slack";
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
  readonly text: string;
  /** The other fields of the line, or the whole request and answer, without secrets. */
  readonly detail: unknown;
}

/** Everything that a person sees: the first event of the stream `GET api/window?person=U…`. */
export interface Scene {
  readonly team: string;
  readonly app: {
    readonly name: string;
    readonly userId: string;
    readonly messageShortcuts: readonly { readonly callbackId: string; readonly name: string }[];
  };
  readonly people: readonly PersonInfo[];
  readonly you: string;
  readonly places: readonly PlaceInfo[];
  /** The messages of all conversations, oldest first. */
  readonly messages: readonly SeenMessage[];
  readonly modal: SeenView | null;
  readonly home: SeenView | null;
  /** When the webhooks of the demo project succeed again, in Unix milliseconds. Null if they do. */
  readonly incident: number | null;
  readonly log: readonly LogLine[];
}

/** The server-sent events of the stream, by name. */
export interface WindowEvents extends Pick<Scene, "modal" | "home" | "incident"> {
  readonly scene: Scene;
  readonly message: SeenMessage;
  readonly gone: Pick<SeenMessage, "channelId" | "ts">;
  readonly log: LogLine;
}

const entry = z.union([z.string(), z.array(z.string()).readonly()]);
const surface = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("message"), channelId: z.string(), ts: z.string() }),
  z.strictObject({ kind: z.literal("view"), id: z.string() }),
]);
const element = { on: surface, blockId: z.string(), actionId: z.string() };

function action<Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return z.strictObject({ person: z.string(), do: z.literal(name), ...shape });
}

/** An action of a person: the body of `POST api/do`. */
export const personAction = z.discriminatedUnion("do", [
  action("command", { place: z.string(), line: z.string() }),
  action("say", {
    place: z.string(),
    text: z.string().regex(/\S/, "a message must not be empty"),
    /** The timestamp of the message to reply to. */
    thread: z.string().optional(),
  }),
  action("press", element),
  action("choose", { ...element, entry }),
  /** Submits the modal with entries by block id. */
  action("submit", { view: z.string(), entries: z.record(z.string(), entry) }),
  action("close", {}),
  action("home", {}),
  action("shortcut", { callbackId: z.string(), place: z.string().optional() }),
  action("message-shortcut", { callbackId: z.string(), channelId: z.string(), ts: z.string() }),
  /** Lets webhooks fail for a while. */
  action("incident", {}),
]);

/** One of the actions. */
export type PersonAction = z.infer<typeof personAction>;

/** The message or view that contains an element. */
export type Surface = z.infer<typeof surface>;

/** The result: 200 with the error that Slack shows if the app failed, or 400 with the reason for a refusal. */
export interface ActionResult {
  readonly shownError?: string;
  readonly error?: string;
}

/** A suggestion for a typed line. `GET api/suggestions?line=…` returns a list of them. */
export interface Suggestion {
  readonly word: string;
  readonly hint?: string;
  readonly about: string;
  readonly line?: string;
  /** The `callback_id` of the shortcut that it runs instead. */
  readonly shortcut?: string;
}
