import type { Request } from "./request.js";
import type { Modal } from "./slack/views.js";

/** A control of a message, a window or the home that was used. */
export interface UsedControl {
  /** The value of the button, or of the option that was chosen. */
  readonly value: string;
  /** The message that contains it. */
  readonly messageTs: string | undefined;
  /** The window or app home that contains it, with the data kept there. */
  readonly view: { readonly id: string; readonly kept: KeptData; readonly isHome: boolean } | undefined;
}

/** What a window keeps until it is sent: where it was opened from, and what its feature needs. Never a secret. */
export interface KeptData {
  readonly channelId?: string | undefined;
  readonly responseUrl?: string | undefined;
  readonly prefix?: string | undefined;
  readonly [more: string]: unknown;
}

/** What a control does. */
export interface Action {
  /** Whether it opens a window, which must be done within 3 s. @default false */
  readonly isUrgent?: boolean | ((used: UsedControl, now: number) => boolean);
  /** How long a second press counts as the same. @default 2 s: a double click */
  readonly onceForMs?: number;
  run(request: Request, used: UsedControl): Promise<void>;
}

/** Controls by the part of their `action_id` before a colon; the rest makes the id unique in a message. */
export type Actions = Readonly<Record<string, Action>>;

/** A window that was sent. */
export interface SentForm {
  /** What was entered or chosen, by the id of its block; undefined if nothing was. A ticked box gives its value. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly kept: KeptData;
  readonly viewId: string;
}

/** What happens when a window is sent. */
export interface Form {
  /** The field for a key. A key in any other field is refused. @default none */
  readonly secretField?: string;
  /** What is wrong, by the id of its block. Slack waits for it, so it must not wait for anything else. */
  faults?(sent: SentForm, now: number): Readonly<Record<string, string>> | undefined;
  /** What the window shows until the work is done. @default none: it closes */
  meanwhile?: Modal;
  run(request: Request, sent: SentForm): Promise<void>;
}

/** Windows by their `callback_id`. */
export type Forms = Readonly<Record<string, Form>>;

/** Global shortcuts by their `callback_id`. */
export type Shortcuts = Readonly<Record<string, (request: Request) => Promise<void>>>;

/** The faults of a form by the id of their block, without those that are undefined; undefined if there are none. */
export function onlyFaults(
  faults: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(faults).flatMap(([field, fault]) => (fault === undefined ? [] : [[field, fault]]));
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** Writes the data that a window opened by this request keeps. */
export function keep(request: Request, more: Readonly<Record<string, unknown>> = {}): string {
  const { channelId, prefix } = request;
  return JSON.stringify({ channelId, responseUrl: request.answer.responseUrl, prefix, ...more } satisfies KeptData);
}

/** Reads what {@link keep} wrote; no data if the text is anything else. */
export function readKept(text: string): KeptData {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
