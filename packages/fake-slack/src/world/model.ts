import type { WebSocket } from "ws";

/** An object that JSON can hold. */
export type Json = { readonly [member: string]: unknown };

/** The app, as configured on its settings page at Slack. */
export interface App {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingSecret: string;
  /** For Socket Mode: `xapp-…`. */
  readonly appToken: string;
  /** The scopes that it requests at installation. */
  readonly scopes: readonly string[];
  /** Its slash commands, with the slash. */
  readonly commands: readonly string[];
  /** Whether channels, people and links arrive as references in the text of a command (`should_escape`). */
  readonly escapesCommands: boolean;
  /** Its message shortcuts, by `callback_id`. */
  readonly messageShortcuts: readonly string[];
  /** Receives commands, events and interactions; undefined in Socket Mode. May change at any time. */
  requestUrl: string | undefined;
  /** The URL that people return to after they have allowed the app. */
  redirectUrl: string | undefined;
}

/** An organization on Enterprise Grid. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  /** Whether it installs the app for all of its workspaces. */
  readonly isOrgWide: boolean;
  /** Shared by its workspaces, if it is org-wide. */
  installation: Installation | undefined;
}

/** A workspace. */
export interface Team {
  readonly id: string;
  readonly name: string;
  /** `acme` of `acme.slack.com`. */
  readonly domain: string;
  /** Undefined outside Enterprise Grid. Not saved. */
  readonly organization?: Organization | undefined;
  readonly users: Map<string, User>;
  readonly channels: Map<string, Channel>;
  readonly groups: Map<string, Group>;
  /** Undefined if the app is not installed. */
  installation: Installation | undefined;
}

export interface Installation {
  readonly botToken: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly scopes: readonly string[];
  readonly installedBy: string;
}

export interface User {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly realName: string;
  /** The IANA name. */
  timeZone: string;
  isAdmin: boolean;
  isOwner: boolean;
  readonly isBot: boolean;
  isDeleted: boolean;
  /** The kind of guest, if they are one. */
  guest?: "multi-channel" | "single-channel" | undefined;
  /** Their own workspace, if they are in a shared channel of this one. */
  readonly homeTeamId?: string | undefined;
  /** Their workspaces within the organization. @default their own */
  readonly workspaces?: readonly string[] | undefined;
  /** The open modal. */
  modal: View | undefined;
  /** The app's home, once it was published. */
  home: View | undefined;
}

export interface Group {
  readonly id: string;
  readonly handle: string;
  members: string[];
}

export interface Channel {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly kind: "public" | "private" | "im";
  readonly members: Set<string>;
  isArchived: boolean;
  /** Oldest first, including private ones. */
  readonly messages: Message[];
}

export interface Message {
  readonly ts: string;
  readonly channelId: string;
  /** The sender. */
  readonly userId: string;
  text: string;
  blocks: readonly Json[];
  files: readonly SharedFile[];
  /** The only person who sees it, until they reload; undefined for everyone. */
  readonly onlyFor: string | undefined;
  /** The message that it replies to. */
  readonly threadTs: string | undefined;
  /** Whether a reply is shown in the channel, too. @default false */
  readonly isBroadcast?: boolean | undefined;
  isEdited: boolean;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly content: Buffer;
}

/** A file upload: announced, then sent, then completed. */
export interface Upload {
  readonly teamId: string;
  readonly name: string;
  readonly length: number;
  content: Buffer | undefined;
}

/** An action of a person. */
export interface TriggerSource {
  readonly teamId: string;
  readonly userId: string;
  /** The conversation that they were viewing. */
  readonly channelId?: string | undefined;
}

/** Lets the app open one view in response to an action of a person. */
export interface Trigger extends TriggerSource {
  readonly issuedAt: number;
  isUsed: boolean;
}

/** A permission that a person has granted. */
export interface Grant {
  readonly teamId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** As sent by the app, which has to repeat it with the code. */
  readonly redirectUri: string | undefined;
  readonly issuedAt: number;
  isUsed: boolean;
}

/** The person and the action that a `response_url` was issued for. */
export interface ResponseUrl {
  readonly teamId: string;
  readonly channelId: string;
  /** The person who sees private responses. */
  readonly userId: string;
  /** A command and a form have no message to replace, and that of a message shortcut is not replaced. */
  readonly origin:
    | { readonly kind: "slash_command" | "message_action" | "view_submission" }
    | { readonly kind: "message"; readonly ts: string };
}

/** A `response_url` that the app can use. */
export type IssuedUrl = ResponseUrl & { readonly issuedAt: number; uses: number };

/** Slack's reason for a retry. */
export type RetryReason = "http_timeout" | "http_error" | "connection_failed";

/** The result of one attempt to send something to the app. */
export interface AttemptResult {
  /** 0 without a response; 200 if it was acknowledged over a socket. */
  readonly status: number;
  readonly body: unknown;
  /** Undefined if it was acknowledged. */
  readonly failure: RetryReason | undefined;
}

/** Sent over a socket, but not acknowledged yet. */
export interface PendingEnvelope {
  readonly text: string;
  /** The socket it was sent over; undefined while none is open. */
  socket: WebSocket | undefined;
  end(result: AttemptResult): void;
}

/** The app's connections in Socket Mode. */
export interface Sockets {
  /** Issued URLs, each for one socket. */
  readonly tickets: Set<string>;
  readonly all: Set<WebSocket>;
  /** The sockets that deliveries use in turn; the next one first. */
  readonly open: WebSocket[];
  readonly pending: Map<string, PendingEnvelope>;
}

/** The HTTP answer to a call. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A simulated failure of a call. */
export type Mishap =
  /** The call has no effect, and gets this answer. */
  | { readonly kind: "answer"; readonly answer: Answer }
  /** The call takes effect, but the connection breaks before the answer. */
  | { readonly kind: "lost" }
  /** The call takes effect, but the answer is late. */
  | { readonly kind: "late"; readonly ms: number };

/** The content of a message. */
export interface MessageContent {
  readonly text: string;
  readonly blocks: readonly Json[];
}

/** The content of a view, as the app sends it. */
export interface ViewContent {
  readonly type: "modal" | "home";
  readonly callbackId: string;
  readonly privateMetadata: string;
  readonly title: string;
  /** The text of the submit button; undefined if there is none. */
  readonly submit: string | undefined;
  /** The text of the close button; undefined if the app has not set it. */
  readonly close: string | undefined;
  readonly notifyOnClose: boolean;
  readonly clearOnClose: boolean;
  readonly blocks: readonly Json[];
  /** The whole view as the app sent it. */
  readonly payload: Json;
}

export interface View extends ViewContent {
  readonly id: string;
  readonly teamId: string;
  readonly userId: string;
  /** The conversation that the person was viewing when the modal was opened. */
  readonly channelId?: string | undefined;
  /** Changes with each update. */
  readonly hash: string;
}

/** How long Slack waits for an app. */
export interface Patience {
  /** The timeout of a response. */
  readonly answerWithinMs: number;
  /** Waits before a retry. */
  wait(ms: number): Promise<void>;
}

/** An event in the transcript. */
export interface TranscriptEntry {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly teamId: string | undefined;
  readonly what: /** The app called a method of the Web API, or a `response_url`. */
    | "call"
    /** Slack sent something to the app. */
    | "delivery"
    /** A message, a modal or a home is new or changed. */
    | "shown"
    /** A message, a modal or a home was removed. */
    | "hidden";
  /** The method, the kind of delivery, or the shown object: `chat.postMessage`, `slash_command`, `message`. */
  readonly name: string;
  /** The ids of the people who see it, or who caused it. */
  readonly users: readonly string[];
  readonly detail: Json;
}
