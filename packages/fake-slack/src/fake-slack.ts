import { repeatNext } from "./delivery/deliver.js";
import type { RetryReason } from "./delivery/outgoing.js";
import type { Patience } from "./delivery/patience.js";
import { allow, deny } from "./oauth/allow.js";
import type { Person } from "./people/person.js";
import { Workspace } from "./people/workspace.js";
import { listen } from "./server.js";
import { breakSockets, refreshSockets } from "./socket-mode/sockets.js";
import { installApp } from "./world/install.js";
import { addMishap } from "./world/mishaps.js";
import type { App, Organization as GridOrganization, User } from "./world/model.js";
import { countedBefore, restoreWorld } from "./world/restore.js";
import { type SavedSlack, saveWorld } from "./world/save.js";
import { addTeam, addUser } from "./world/teams.js";
import type { TranscriptEntry } from "./world/transcript.js";
import { until } from "./world/until.js";
import { createWorld, newSecret } from "./world/world.js";

export interface FakeSlackOptions {
  /** What the app asks for when it is installed. */
  scopes: readonly string[];
  /** @default a free one */
  port?: number;
  /** The present, in milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** The slash commands that the app has. @default ["/media"] */
  commands?: readonly string[];
  /** @default made up, as are the other secrets */
  signingSecret?: string;
  clientId?: string;
  clientSecret?: string;
  appToken?: string;
  /** Where commands, interactions and events go to. @default none: they go over sockets */
  requestUrl?: string;
  /** Where people come back to when they have allowed the app. @default none */
  redirectUrl?: string;
  /** How long Slack waits for the app. @default as long as the real one */
  patience?: Patience;
  /** How many entries of the transcript are kept. @default all */
  keeps?: number;
  /** How many messages of each conversation are kept, and how many for one person alone. @default all */
  keepsMessages?: number;
  /** The world to begin with: what `save` has given, also of a fake in an earlier process. @default an empty one */
  saved?: SavedSlack | undefined;
}

export interface WorkspaceOptions {
  name: string;
  /** Whether the app is installed in it. @default true */
  installed?: boolean;
  /** What the app may do in it. @default what it asks for */
  scopes?: readonly string[];
  /** The organization on Enterprise Grid that it belongs to. @default none */
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
  /** Slack's word for what went wrong. @default "internal_error" */
  error?: string;
  /** @default 200, as Slack answers its refusals */
  status?: number;
  /** @default what Slack says of such an error */
  body?: unknown;
  /** @default 1 */
  times?: number;
}

/** A Slack in a process: workspaces, the people in them, and its Web API over HTTP. */
export interface FakeSlack {
  readonly url: string;
  /** Where the methods are: for `slackApiUrl` of a client. */
  readonly apiUrl: string;
  /** The app, with its secrets; its `requestUrl` and `redirectUrl` may be set when they are known. */
  readonly app: App;
  /** All that happened, the oldest first: who called what, and who sees what. */
  readonly transcript: readonly TranscriptEntry[];
  /** All workspaces, those that were restored among them. */
  readonly workspaces: readonly Workspace[];
  addWorkspace(options: WorkspaceOptions): Workspace;
  /** Workspaces are added to it by `addWorkspace`. */
  addOrganization(options: OrganizationOptions): Organization;
  /**
   * Gives the first value of a probe that is something, as soon as there is one.
   *
   * @example const answer = await slack.until(() => ann.sees(general).at(-1));
   */
  until<T>(probe: () => T, options?: { timeoutMs?: number }): Promise<NonNullable<T>>;
  /**
   * Tells of everything that happens from now on, as soon as it has; gives what ends that.
   *
   * @param listener must not throw: what happened would go wrong by it.
   */
  watch(listener: (entry: TranscriptEntry) => void): () => void;
  /**
   * The world as plain JSON, to be begun with another time: who and what is in the workspaces, and what all may see.
   * Messages for one person alone, modals, and secrets are not in it.
   */
  save(): SavedSlack;
  /** The next calls of a method are too many: 429 with `Retry-After`, in seconds. */
  limit(method: string, options?: { times?: number; retryAfter?: number }): void;
  /** The next calls of a method go wrong. `response_url` is a method, too. */
  fail(method: string, failure?: Failure): void;
  /** From now on blocks of these types are refused, as by a Slack that does not know them yet. */
  refuseBlocks(types: readonly string[]): void;
  /** The next deliveries come twice, as when Slack has not heard the first answer. */
  repeatNext(options?: { times?: number; reason?: RetryReason }): void;
  /** Asks the app to open its sockets anew. */
  refreshSockets(reason?: "refresh_requested" | "warning"): void;
  /** All sockets break. */
  breakSockets(): void;
  /** A person opens the app's page for installing it, presses Allow, and comes back. Gives the last page. */
  allow(installUrl: string, options: { by: Person }): Promise<Response>;
  /** The same, but she presses Cancel. */
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
    counted: saved && countedBefore(saved),
  });
  if (saved) restoreWorld(world, saved);
  await listen(world, port);

  const userOf = ({ id, teamId, name }: Person): User => {
    const user = world.teams.get(teamId)?.users.get(id);
    if (!user) throw new Error(`${name} is not known here.`);
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
      // Somebody has to have installed it.
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
    allow: (installUrl, { by }) => allow(world, installUrl, { user: userOf(by) }),
    deny: (installUrl, { by }) => deny(world, installUrl, { user: userOf(by) }),
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
