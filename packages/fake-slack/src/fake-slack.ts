import { repeatNext } from "./delivery/deliver.js";
import type { RetryReason } from "./delivery/outgoing.js";
import { breakSockets, refreshSockets } from "./delivery/sockets.js";
import { decideInstall } from "./oauth/allow.js";
import type { Person } from "./people/person.js";
import { Workspace } from "./people/workspace.js";
import { listen } from "./server.js";
import type { App, Organization as GridOrganization, Patience, TranscriptEntry, User } from "./world/model.js";
import { countersOf, restoreWorld, type SavedSlack, saveWorld } from "./world/save.js";
import { addTeam, addUser, installApp } from "./world/teams.js";
import { addMishap, createWorld, newSecret, until } from "./world/world.js";

export interface FakeSlackOptions {
  /** The scopes that the app requests at installation. */
  scopes: readonly string[];
  /** @default a free port */
  port?: number;
  /** The present, in milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** The app's slash commands. @default ["/media"] */
  commands?: readonly string[];
  /** @default random, as the other secrets */
  signingSecret?: string;
  clientId?: string;
  clientSecret?: string;
  appToken?: string;
  /** Receives commands, interactions and events. @default none: they are sent over sockets */
  requestUrl?: string;
  /** People return to it after they have allowed the app. @default none */
  redirectUrl?: string;
  /** How long Slack waits for the app. @default as long as the real Slack */
  patience?: Patience;
  /** How many entries of the transcript are kept. @default all */
  keeps?: number;
  /** How many messages of each conversation are kept, and as many for each person alone. @default all */
  keepsMessages?: number;
  /** The world to start with: a result of `save`, also from an earlier process. @default an empty world */
  saved?: SavedSlack | undefined;
}

export interface WorkspaceOptions {
  name: string;
  /** Whether the app is installed in it. @default true */
  installed?: boolean;
  /** The scopes that the app has there. @default the requested scopes */
  scopes?: readonly string[];
  /** Its organization on Enterprise Grid. @default none */
  organization?: Organization;
}

/** An organization on Enterprise Grid. */
export interface Organization {
  readonly id: string;
  readonly name: string;
}

export interface OrganizationOptions {
  name: string;
  /** Whether it installs the app for all of its workspaces, which then share one token. @default false */
  isOrgWide?: boolean;
}

export interface Failure {
  /** Slack's word for the error. @default "internal_error" */
  error?: string;
  /** @default 200, which Slack uses for its refusals, too */
  status?: number;
  /** @default Slack's body for the error */
  body?: unknown;
  /** @default 1 */
  times?: number;
}

/** A Slack in a process: workspaces, the people in them, and its Web API over HTTP. */
export interface FakeSlack {
  readonly url: string;
  /** For `slackApiUrl` of a client. */
  readonly apiUrl: string;
  /** The app, with its secrets; its `requestUrl` and `redirectUrl` can be set later. */
  readonly app: App;
  /** Everything that happened, the oldest first. */
  readonly transcript: readonly TranscriptEntry[];
  /** All workspaces, including restored ones. */
  readonly workspaces: readonly Workspace[];
  addWorkspace(options: WorkspaceOptions): Workspace;
  /** Workspaces join it in `addWorkspace`. */
  addOrganization(options: OrganizationOptions): Organization;
  /**
   * Waits for the first truthy value of a probe, which is called after each change.
   *
   * @example const answer = await slack.until(() => ann.sees(general).at(-1));
   */
  until<T>(probe: () => T, options?: { timeoutMs?: number }): Promise<NonNullable<T>>;
  /**
   * Listens to everything that happens from now on; returns a function that ends it.
   *
   * @param listener must not throw.
   */
  watch(listener: (entry: TranscriptEntry) => void): () => void;
  /**
   * The world as plain JSON, for `saved` of a later start. Messages for one person alone, modals and secrets are left
   * out.
   */
  save(): SavedSlack;
  /** Answers the next calls of a method with 429 and `Retry-After`, in seconds. */
  limit(method: string, options?: { times?: number; retryAfter?: number }): void;
  /** Fails the next calls of a method. `response_url` counts as a method. */
  fail(method: string, failure?: Failure): void;
  /** Refuses blocks of these types from now on, as a Slack that does not know them yet. */
  refuseBlocks(types: readonly string[]): void;
  /** Sends the next deliveries twice, as if the first answer was lost. */
  repeatNext(options?: { times?: number; reason?: RetryReason }): void;
  /** Asks the app to reopen its sockets. */
  refreshSockets(reason?: "refresh_requested" | "warning"): void;
  /** Breaks all sockets, as a network failure does. */
  breakSockets(): void;
  /** Opens the app's page for installing it as a person, and presses Allow. Returns the last page. */
  allow(installUrl: string, options: { by: Person }): Promise<Response>;
  /** The same, but presses Cancel. */
  deny(installUrl: string, options: { by: Person }): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * Starts a Slack.
 *
 * @example
 * const slack = await startFakeSlack({ scopes: ["chat:write", "commands"] });
 * const team = slack.addWorkspace({ name: "acme" });
 * const client = new WebClient(team.botToken, { slackApiUrl: slack.apiUrl });
 */
export async function startFakeSlack(options: FakeSlackOptions): Promise<FakeSlack> {
  const { now = Date.now, patience, keeps, keepsMessages, saved, port = 0 } = options;
  const world = createWorld({
    ...{ app: appOf(options), now, patience, keeps, keepsMessages },
    counted: saved && countersOf(saved),
  });
  if (saved) restoreWorld(world, saved);
  await listen(world, port);

  const userOf = ({ id, teamId, name }: Person): User => {
    const user = world.teams.get(teamId)?.users.get(id);
    if (!user) throw new Error(`${name} is not a user of this Slack.`);
    return user;
  };
  const workspaces = [...world.teams.values()].map((team) => new Workspace(world, team));
  const organizations = new Map<string, GridOrganization>();
  let stopping: Promise<void> | undefined;

  return {
    url: world.url,
    apiUrl: `${world.url}/api/`,
    app: world.app,
    transcript: world.transcript,
    workspaces,
    addOrganization: ({ name, isOrgWide = false }) => {
      const organization = { id: world.newId("E"), name, isOrgWide, installation: undefined };
      organizations.set(organization.id, organization);
      return { id: organization.id, name };
    },
    addWorkspace: ({ name, installed = true, scopes, organization: { id } = { id: "" } }) => {
      const organization = organizations.get(id);
      const team = addTeam(world, name, organization);
      // The app needs a user who has installed it.
      const owner = addUser(world, team, { name: "slackowner", isOwner: true });
      if (installed && organization?.installation) team.installation = organization.installation;
      else if (installed) installApp(world, team, owner.id, scopes);
      if (organization?.isOrgWide) organization.installation ??= team.installation;
      const workspace = new Workspace(world, team);
      workspaces.push(workspace);
      return workspace;
    },
    until: (probe, { timeoutMs } = {}) => until(world, probe, timeoutMs),
    watch: (listener) => world.onChange(listener),
    save: () => saveWorld(world),
    limit: (method, { times = 1, retryAfter = 1 } = {}) => {
      const headers = { "retry-after": String(retryAfter) };
      addMishap(world, method, { status: 429, headers, body: { ok: false, error: "ratelimited" } }, times);
    },
    fail: (method, { error = "internal_error", status = 200, body = { ok: false, error }, times = 1 } = {}) => {
      addMishap(world, method, { status, headers: {}, body }, times);
    },
    refuseBlocks: (types) => {
      for (const type of types) world.refusedBlocks.add(type);
    },
    repeatNext: (repetition) => repeatNext(world, repetition),
    refreshSockets: (reason) => refreshSockets(world, reason),
    breakSockets: () => breakSockets(world),
    allow: (installUrl, { by }) => decideInstall(world, installUrl, userOf(by), "allow"),
    deny: (installUrl, { by }) => decideInstall(world, installUrl, userOf(by), "deny"),
    stop: () => {
      stopping ??= world.stop();
      return stopping;
    },
  };
}

function appOf({ scopes, commands = ["/media"], requestUrl, redirectUrl, saved, ...secrets }: FakeSlackOptions): App {
  return {
    id: saved?.appId ?? `A${newSecret(10).toUpperCase()}`,
    clientId: secrets.clientId ?? `${Date.now()}.${newSecret(12)}`,
    clientSecret: secrets.clientSecret ?? newSecret(32),
    signingSecret: secrets.signingSecret ?? newSecret(32),
    appToken: secrets.appToken ?? `xapp-1-${newSecret(32)}`,
    scopes,
    commands,
    requestUrl,
    redirectUrl,
  };
}
