import type { Command, CommandNamed } from "./language.js";
import type { Request } from "./request.js";
import type { Draft } from "./slack/draft.js";
import type { Modal } from "./slack/views.js";

/** What a command does: it answers with a message, or in a way of its own. */
export type CommandHandlers = {
  readonly [Name in Command["name"]]: (command: CommandNamed<Name>, request: Request) => Promise<Draft | undefined>;
};

/** A control of a message, a window or the home that was used. */
export interface Used {
  /** What the button bears, or which option was chosen. */
  readonly value: string;
  /** The message that it stands in. */
  readonly messageTs: string | undefined;
  /** The window that it stands in, or the app's home, and what that kept. */
  readonly view: { readonly id: string; readonly kept: Kept; readonly isHome: boolean } | undefined;
}

/** What a window keeps until it is sent: where it was opened from, and what its feature needs. Never a secret. */
export interface Kept {
  readonly channelId?: string | undefined;
  readonly responseUrl?: string | undefined;
  readonly prefix?: string | undefined;
  readonly [more: string]: unknown;
}

/** What a control does. */
export interface Action {
  /** Whether it opens a window, which must be done within 3 s. @default false */
  readonly isUrgent?: boolean | ((used: Used, now: number) => boolean);
  /** How long the same press counts as the same wish. @default 2 s: a double click */
  readonly onceForMs?: number;
  run(request: Request, used: Used): Promise<void>;
}

/** Controls by the part of their `action_id` before a colon; what is behind it only tells them apart in a message. */
export type Actions = Readonly<Record<string, Action>>;

/** A window that was sent. */
export interface Sent {
  /** What was entered or chosen, by the id of its block; undefined where nothing was. A ticked box gives its value. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly kept: Kept;
  readonly viewId: string;
}

/** What becomes of a window that is sent. */
export interface Form {
  /** The field that is made for a key. A text with a key in any other field is refused. @default none */
  readonly secretField?: string;
  /** What is wrong, by the id of its block. Must be found out at once: Slack waits. */
  faults?(sent: Sent, now: number): Readonly<Record<string, string>> | undefined;
  /** What the window shows until the work is done. @default none: it closes */
  meanwhile?: Modal;
  run(request: Request, sent: Sent): Promise<void>;
}

/** Windows by their `callback_id`. */
export type Forms = Readonly<Record<string, Form>>;

/** Global shortcuts by their `callback_id`. */
export type Shortcuts = Readonly<Record<string, (request: Request) => Promise<void>>>;

/** What a window opened by this request is to keep. */
export function keep(request: Request, more: Readonly<Record<string, unknown>> = {}): string {
  const { channelId, prefix } = request;
  return JSON.stringify({ channelId, responseUrl: request.answer.responseUrl, prefix, ...more } satisfies Kept);
}

export function readKept(text: string): Kept {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
