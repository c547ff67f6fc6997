import type { Patience } from "../delivery/patience.js";
import type { TranscriptEntry } from "./transcript.js";

/** Anything that JSON can hold. */
export type Json = { readonly [member: string]: unknown };

/** The app that is installed in the workspaces, as its settings page at Slack has it. */
export interface App {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingSecret: string;
  /** For Socket Mode: `xapp-…`. */
  readonly appToken: string;
  /** What it asks for when it is installed. */
  readonly scopes: readonly string[];
  /** The slash commands that it has, with their slash. */
  readonly commands: readonly string[];
  /** Where commands, events and interactions are sent; undefined in Socket Mode. May change while all runs. */
  requestUrl: string | undefined;
  /** Where people come back to when they have allowed the app. */
  redirectUrl: string | undefined;
}

/** An organization on Enterprise Grid. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  /** Whether it installs the app for all of its workspaces. */
  readonly isOrgWide: boolean;
  /** What its workspaces share then. */
  installation: Installation | undefined;
}

/** A workspace. */
export interface Team {
  readonly id: string;
  readonly name: string;
  /** As in its address: `acme` of `acme.slack.com`. */
  readonly domain: string;
  /** Undefined outside Enterprise Grid. Not saved. */
  readonly organization?: Organization | undefined;
  readonly users: Map<string, User>;
  readonly channels: Map<string, Channel>;
  readonly groups: Map<string, Group>;
  /** Undefined where the app is not installed. */
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
  /** By its IANA name. */
  timeZone: string;
  isAdmin: boolean;
  isOwner: boolean;
  readonly isBot: boolean;
  isDeleted: boolean;
  /** Which kind of guest they are, if they are one. */
  guest?: "multi-channel" | "single-channel" | undefined;
  /** Another workspace that they belong to, and from which they came into a channel of this one. */
  readonly homeTeamId?: string | undefined;
  /** The workspaces of their organization that they belong to. @default their own */
  readonly workspaces?: readonly string[] | undefined;
  /** The modals that stand open, the lowest first; three at most. */
  views: View[];
  /** What the app's home shows. */
  home: View | undefined;
}

export interface Group {
  readonly id: string;
  readonly handle: string;
  readonly members: Set<string>;
}

export interface Channel {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly kind: "public" | "private" | "im";
  readonly members: Set<string>;
  /** In the order in which they were sent, those for one person among them. */
  readonly messages: Message[];
  isArchived: boolean;
}

export interface Message {
  readonly ts: string;
  readonly channelId: string;
  /** Who sent it. */
  readonly userId: string;
  text: string;
  blocks: readonly Json[];
  files: readonly SharedFile[];
  /** The only one who sees it, until the window is loaded anew. */
  readonly onlyFor: string | undefined;
  readonly threadTs: string | undefined;
  isEdited: boolean;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly content: Buffer;
}

/** A file that is on its way: announced, then sent, then completed. */
interface Upload {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly length: number;
  content: Buffer | undefined;
}

/** What lets the app open a view in answer to something that a person did. */
export interface Trigger {
  readonly teamId: string;
  readonly userId: string;
  /** The view in which she did it, onto which another one can be pushed. */
  readonly viewId: string | undefined;
  readonly issuedAt: number;
  isUsed: boolean;
}

/** What the next calls of a method come upon. */
export interface Mishap {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface View {
  readonly id: string;
  readonly teamId: string;
  readonly userId: string;
  readonly type: "modal" | "home";
  readonly rootId: string;
  readonly previousId: string | undefined;
  /** Changes with each update. */
  hash: string;
  callbackId: string;
  privateMetadata: string;
  externalId: string;
  title: string;
  submit: string | undefined;
  close: string | undefined;
  notifyOnClose: boolean;
  clearOnClose: boolean;
  blocks: readonly Json[];
  /** As the app gave it. */
  payload: Json;
}

/** What all parts of the fake share. The operations on it stand beside this file, a file for each. */
export interface World {
  readonly app: App;
  readonly teams: Map<string, Team>;
  /** The present, in milliseconds since 1970. */
  now(): number;
  readonly patience: Patience;
  /** How many messages of each conversation are kept. */
  readonly keepsMessages: number;
  /** Where the fake listens: `http://127.0.0.1:1234`. */
  url: string;
  readonly transcript: TranscriptEntry[];
  /** By their id. */
  readonly triggers: Map<string, Trigger>;
  readonly uploads: Map<string, Upload>;
  /** Tokens of apps that were there once, with what Slack says of them now: `token_revoked`, `account_inactive`. */
  readonly deadTokens: Map<string, string>;
  /** What goes wrong next, by the name of the method; `response_url` is one, too. */
  readonly mishaps: Map<string, Mishap[]>;
  /** Types of blocks that this Slack does not know yet. */
  readonly refusedBlocks: Set<string>;
  /** Takes something down in the transcript, and wakes those who wait for a change. */
  tell(entry: Omit<TranscriptEntry, "at">): void;
  /** Calls back after each change; gives what ends that. */
  onChange(listener: (entry: TranscriptEntry) => void): () => void;
  /** Calls back when the fake is stopped: for what would keep the process alive. */
  onStop(listener: () => void | Promise<void>): void;
  /** A new id such as `C0000000004`. */
  newId(prefix: string): string;
  /** A timestamp that no other message has: `1767225600.000100`. */
  newTs(): string;
}
