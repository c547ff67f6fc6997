import { randomBytes } from "node:crypto";
import { setTimeout as elapsed } from "node:timers/promises";
import type {
  App,
  Channel,
  Grant,
  Group,
  Installation,
  IssuedUrl,
  Mishap,
  Organization,
  Patience,
  Sockets,
  Team,
  TranscriptEntry,
  Trigger,
  Upload,
  User,
} from "./model.js";
import type { Rates } from "./rates.js";

/** The counters behind ids and timestamps, which are never reused. */
export interface Counters {
  readonly ids: number;
  /** In microseconds. */
  readonly lastTs: number;
}

interface WorldOptions {
  now: () => number;
  patience?: Patience;
  keeps?: number;
  keepsMessages?: number;
}

const slacksPatience: Patience = {
  answerWithinMs: 3000,
  // A retry that is minutes away must not keep a process alive.
  wait: (ms) => elapsed(ms, undefined, { ref: false }),
};

/** The state that all parts of the fake share. Its operations are in the neighbouring files. */
export class World {
  readonly app: App;
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly patience: Patience;
  /** The maximum number of messages per conversation. */
  readonly keepsMessages: number;
  /** The base URL of the fake: `http://127.0.0.1:1234`. */
  url = "";
  readonly teams = new Map<string, Team>();
  readonly transcript: TranscriptEntry[] = [];
  readonly triggers = new Map<string, Trigger>();
  readonly uploads = new Map<string, Upload>();
  /** By the code that the app exchanges for its token. */
  readonly grants = new Map<string, Grant>();
  /** By the secret in the URL. */
  readonly responseUrls = new Map<string, IssuedUrl>();
  readonly sockets: Sockets = { tickets: new Set(), all: new Set(), open: [], pending: new Map() };
  /** The enforced rate limits, if any. */
  rates: Rates | undefined;
  /** The number of next deliveries that are sent twice. */
  repeats = 0;
  /** Tokens that are no longer valid, with Slack's error code for each: `token_revoked`, `account_inactive`. */
  readonly deadTokens = new Map<string, string>();
  /** The simulated failures of the next calls, by method; `response_url` counts as a method. */
  readonly #mishaps = new Map<string, Mishap[]>();
  /** Types of blocks that are refused as unknown. */
  readonly refusedBlocks = new Set<string>();
  readonly #keeps: number;
  readonly #listeners = new Set<(entry: TranscriptEntry) => void>();
  readonly #stops: (() => void | Promise<void>)[] = [];
  readonly #stopping = new AbortController();
  #ids: number;
  #lastTs: number;

  constructor(app: App, { now, patience = slacksPatience, ...options }: WorldOptions, counted?: Counters) {
    this.app = app;
    this.now = now;
    this.patience = patience;
    this.keepsMessages = options.keepsMessages ?? Number.POSITIVE_INFINITY;
    this.#keeps = options.keeps ?? Number.POSITIVE_INFINITY;
    this.#ids = counted?.ids ?? 0;
    this.#lastTs = counted?.lastTs ?? 0;
  }

  /** The counters to continue with in a later world. */
  get counted(): Counters {
    return { ids: this.#ids, lastTs: this.#lastTs };
  }

  /** Aborted when the fake stops, which also ends running requests. */
  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Adds an entry to the transcript, and notifies the listeners. */
  record(given: Omit<TranscriptEntry, "at">): void {
    const entry = { at: this.now(), ...given };
    this.transcript.push(entry);
    if (this.transcript.length > this.#keeps) this.transcript.splice(0, this.transcript.length - this.#keeps);
    for (const listener of [...this.#listeners]) listener(entry);
  }

  /** Subscribes to each entry; returns a function that unsubscribes. */
  onChange(listener: (entry: TranscriptEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener when the fake stops. */
  onStop(listener: () => void | Promise<void>): void {
    this.#stops.push(listener);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#stops.splice(0).map((end) => end()));
  }

  /** A new id such as `C0000000004`. */
  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}${this.#ids.toString(36).toUpperCase().padStart(10, "0")}`;
  }

  /** A unique timestamp: `1767225600.000100`. */
  newTs(): string {
    this.#lastTs = Math.max(Math.floor(this.now()) * 1000, this.#lastTs + 1);
    return `${Math.floor(this.#lastTs / 1_000_000)}.${String(this.#lastTs % 1_000_000).padStart(6, "0")}`;
  }

  /** Simulates failures of the next calls of a method. */
  addMishap(method: string, mishap: Mishap, times: number): void {
    const waiting = this.#mishaps.get(method) ?? [];
    this.#mishaps.set(method, [...waiting, ...Array.from({ length: times }, () => mishap)]);
  }

  /** Removes and returns the simulated failure for this call of a method, if there is one. */
  takeMishap(method: string): Mishap | undefined {
    return this.#mishaps.get(method)?.shift();
  }
}

/** A random text that cannot be guessed. */
export function newSecret(length = 24): string {
  return randomBytes(length).toString("base64url").replace(/[-_]/g, "0").slice(0, length);
}

/** Adds a workspace, without people or the app. */
export function addTeam(world: World, name: string, organization?: Organization): Team {
  const domain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const team: Team = {
    id: world.newId("T"),
    name,
    domain,
    organization,
    users: new Map(),
    channels: new Map(),
    groups: new Map(),
    installation: undefined,
  };
  world.teams.set(team.id, team);
  return team;
}

/** A new user; flags default to false, and the time zone to UTC. */
export type NewUser = Pick<User, "name"> & Partial<Omit<User, "id" | "teamId" | "isDeleted" | "modal" | "home">>;

export function addUser(world: World, team: Team, { isAdmin = false, isOwner = false, ...options }: NewUser): User {
  const user: User = {
    realName: options.name,
    timeZone: "UTC",
    isBot: false,
    ...options,
    id: world.newId("U"),
    teamId: team.id,
    // Owners are admins.
    isAdmin: isAdmin || isOwner,
    isOwner,
    isDeleted: false,
    modal: undefined,
    home: undefined,
  };
  team.users.set(user.id, user);
  return user;
}

/** Adds a channel, or a direct conversation. */
export function addChannel(
  world: World,
  team: Team,
  { name, kind, members }: Pick<Channel, "name" | "kind"> & { readonly members: Iterable<string> },
): Channel {
  const id = world.newId(kind === "im" ? "D" : "C");
  const channel: Channel = {
    ...{ id, teamId: team.id, name, kind, isArchived: false },
    ...{ members: new Set(members), messages: [] },
  };
  team.channels.set(id, channel);
  return channel;
}

/** Adds a user group. */
export function addGroup(world: World, team: Team, handle: string, members: Iterable<string>): Group {
  const group: Group = { id: world.newId("S"), handle, members: [...members] };
  team.groups.set(group.id, group);
  return group;
}

/** Installs the app, or reinstalls it: the bot user stays the same, and the token is new. */
export function installApp(
  world: World,
  team: Team,
  installedBy: string,
  scopes: readonly string[] = world.app.scopes,
): Installation {
  const known = [...team.users.values()].find(({ isBot }) => isBot);
  const bot = known ?? addUser(world, team, { name: "media", isBot: true });
  bot.isDeleted = false;
  const installation: Installation = {
    botToken: `xoxb-${team.id}-${newSecret()}`,
    botId: `B${bot.id.slice(1)}`,
    botUserId: bot.id,
    scopes,
    installedBy,
  };
  if (team.installation) world.deadTokens.set(team.installation.botToken, "token_revoked");
  team.installation = installation;
  return installation;
}

/** Uninstalls the app, and invalidates its token. Returns the removed installation. */
export function uninstallApp(world: World, team: Team): Installation | undefined {
  const { installation } = team;
  if (!installation) return undefined;
  world.deadTokens.set(installation.botToken, "account_inactive");
  team.installation = undefined;
  const bot = team.users.get(installation.botUserId);
  if (bot) bot.isDeleted = true;
  return installation;
}
