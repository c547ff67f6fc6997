import type { IncomingRequest, Request } from "./request.js";
import type { Modal } from "./slack/views.js";

/** A control that was used in a message, a window or the app home. */
export interface UsedControl {
  /** The value of the button, or of the chosen option. */
  readonly value: string;
  /** The timestamp of the message that contains the control. */
  readonly messageTs: string | undefined;
  /** The window or app home that contains the control, with its kept data. */
  readonly view: { readonly id: string; readonly kept: KeptData; readonly isHome: boolean } | undefined;
}

/** The data that a window keeps, never a secret: the conversation that it was opened from, and its feature's data. */
export interface KeptData {
  readonly channelId?: string | undefined;
  readonly threadTs?: string | undefined;
  readonly responseUrl?: string | undefined;
  readonly prefix?: string | undefined;
  readonly [more: string]: unknown;
}

/** The behaviour of a control. */
export interface Action {
  /** Whether the action opens a window, which Slack allows for 3 s. @default false */
  readonly isUrgent?: boolean | ((used: UsedControl, now: number) => boolean);
  /** How long a second press counts as a repeat. @default 2 s: a double click */
  readonly onceForMs?: number;
  run(request: Request, used: UsedControl): Promise<void>;
  /** Records that the action did not begin: the press was sent again, or the bot does not serve the person. */
  refused?(request: IncomingRequest, used: UsedControl, why: string): Promise<void>;
}

/** A second press within this time is a double click: for what people would notice twice, such as a file. */
export const ONCE_MS = 10_000;

/** Actions by the part of their `action_id` before a colon; the rest makes the id unique in a message. */
export type Actions = Readonly<Record<string, Action>>;

/** A window that was submitted. */
export interface SentForm {
  /** What was entered or chosen, by the id of its block; undefined if empty. A ticked box has its option's value. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly kept: KeptData;
  readonly viewId: string;
}

/** The faults of a window's fields, by the id of their block. */
export type Faults = Readonly<Record<string, string>>;

/** The behaviour of a window when it is submitted. */
export interface Form {
  /** The field for a key. A key in any other field is refused. @default none */
  readonly secretField?: string;
  /** Synchronous, because Slack waits for them. */
  faults?(sent: SentForm, now: number): Faults | undefined;
  /** The window's content until the work is done. @default none: the window closes */
  meanwhile?: Modal;
  run(request: Request, sent: SentForm): Promise<void>;
  /** As in {@link Action}. */
  refused?(request: IncomingRequest, sent: SentForm, why: string): Promise<void>;
}

/** Windows by their `callback_id`. */
export type Forms = Readonly<Record<string, Form>>;

/** A message that a shortcut was used on. Its content may be anything. */
export interface UsedMessage {
  readonly ts: string;
  /** In Slack's markup. */
  readonly text: string;
  readonly blocks: readonly unknown[];
  readonly attachments: readonly unknown[];
}

/** Shortcuts by their `callback_id`. The message is undefined for global ones. */
export type Shortcuts = Readonly<Record<string, (request: Request, message?: UsedMessage) => Promise<void>>>;

/** The faults that are not undefined; undefined if there are none. */
export function onlyFaults(faults: Readonly<Record<string, string | undefined>>): Faults | undefined {
  const found = Object.entries(faults).flatMap(([field, fault]) => (fault === undefined ? [] : [[field, fault]]));
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** Serializes the data that a window opened by this request keeps. */
export function keep(request: Request, more: Readonly<Record<string, unknown>> = {}): string {
  const { channelId, prefix } = request;
  const { threadTs, responseUrl } = request.answer;
  return JSON.stringify({ channelId, threadTs, responseUrl, prefix, ...more } satisfies KeptData);
}

/** Parses the output of {@link keep}; returns no data for any other text. */
export function readKept(text: string): KeptData {
  const value = jsonIn(text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Parses JSON; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
