import { breakSockets, refreshSockets } from "./delivery/deliver.js";
import { rateLimitAnswer, refusedAnswer } from "./http.js";
import { decideInstall } from "./oauth/oauth.js";
import type { Person } from "./people/person.js";
import { Workspace } from "./people/workspace.js";
import { listen } from "./server.js";
import type { App, Organization as GridOrganization, Patience, TranscriptEntry } from "./world/model.js";
import { type RateLimits, Rates } from "./world/rates.js";
import { countersOf, restoreWorld, type SavedSlack, saveWorld } from "./world/save.js";
import { addTeam, addUser, installApp, newSecret, World } from "./world/world.js";

/** Options of {@link startFakeSlack}. */
export interface FakeSlackOptions {
  /** The scopes that the app requests at installation. */
  scopes: readonly string[];
  /** @default a free port */
  port?: number;
  /** The current time, in milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** The app's slash commands. @default ["/media"] */
  commands?: readonly string[];
  /**
   * Whether channels, people and links arrive as references in the text of a command: `#general` as
   * `<#C123|general>`. It is the app's setting `should_escape`. @default false
   */
  escapesCommands?: boolean;
  /** The `callback_id`s of the app's message shortcuts. @default none */
  messageShortcuts?: readonly string[];
  /** How long Slack waits for the app. @default as long as the real Slack */
  patience?: Patience;
  /** The maximum number of entries in the transcript. @default all */
  keeps?: number;
  /** The maximum number of messages per conversation, and as many private ones per person. @default all */
  keepsMessages?: number;
  /** The initial state: a result of `save`, also from an earlier process. @default an empty world */
  saved?: SavedSlack | undefined;
}

/** An organization on Enterprise Grid. */
export type Organization = Pick<GridOrganization, "id" | "name">;

/**
 * Starts a fake Slack.
 *
 * @example
 * const slack = await startFakeSlack({ scopes: ["chat:write", "commands"] });
 * const team = slack.addWorkspace({ name: "acme" });
 * const client = new WebClient(team.botToken, { slackApiUrl: slack.apiUrl });
 */
export async function startFakeSlack(options: FakeSlackOptions): Promise<FakeSlack> {
  const { scopes, commands = ["/media"], escapesCommands = false, messageShortcuts = [], saved } = options;
  const app: App = {
    id: saved?.appId ?? `A${newSecret(10).toUpperCase()}`,
    clientId: `${Date.now()}.${newSecret(12)}`,
    clientSecret: newSecret(32),
    signingSecret: newSecret(32),
    appToken: `xapp-1-${newSecret(32)}`,
    scopes,
    commands,
    escapesCommands,
    messageShortcuts,
    requestUrl: undefined,
    redirectUrl: undefined,
  };
  const world = new World(app, { now: Date.now, ...options }, saved && countersOf(saved));
  if (saved) restoreWorld(world, saved);
  await listen(world, options.port ?? 0);
  return new FakeSlack(world);
}

/** A Slack in this process: workspaces, the people in them, and its Web API over HTTP. */
export class FakeSlack {
  readonly url: string;
  /** The `slackApiUrl` for a client. */
  readonly apiUrl: string;
  /** The app, with its secrets; its `requestUrl` and `redirectUrl` can be set later. */
  readonly app: App;
  /** Everything that happened, oldest first. */
  readonly transcript: readonly TranscriptEntry[];
  readonly #world: World;
  readonly #workspaces: Workspace[];
  readonly #organizations = new Map<string, GridOrganization>();

  constructor(world: World) {
    this.url = world.url;
    this.apiUrl = `${world.url}/api/`;
    this.app = world.app;
    this.transcript = world.transcript;
    this.#world = world;
    this.#workspaces = [...world.teams.values()].map((team) => new Workspace(world, team));
  }

  /** All workspaces, including restored ones. */
  get workspaces(): readonly Workspace[] {
    return this.#workspaces;
  }

  /**
   * Adds a workspace.
   *
   * @param options `installed`: whether the app is installed in it, by default yes; `scopes`: the app's scopes in it,
   * by default the requested ones; `organization`: the one that it belongs to on Enterprise Grid.
   */
  addWorkspace(options: {
    name: string;
    installed?: boolean;
    scopes?: readonly string[];
    organization?: Organization;
  }): Workspace {
    const { name, installed = true, scopes } = options;
    const organization = this.#organizations.get(options.organization?.id ?? "");
    const team = addTeam(this.#world, name, organization);
    // An installation needs an installing user.
    const owner = addUser(this.#world, team, { name: "slackowner", isOwner: true });
    if (installed && organization?.installation) team.installation = organization.installation;
    else if (installed) installApp(this.#world, team, owner.id, scopes);
    if (organization?.isOrgWide) organization.installation ??= team.installation;
    const workspace = new Workspace(this.#world, team);
    this.#workspaces.push(workspace);
    return workspace;
  }

  /**
   * Adds an organization on Enterprise Grid, which workspaces join in `addWorkspace`.
   *
   * @param options `isOrgWide`: whether it installs the app for all of its workspaces, which then share one token.
   */
  addOrganization({ name, isOrgWide = false }: { name: string; isOrgWide?: boolean }): Organization {
    const organization = { id: this.#world.newId("E"), name, isOrgWide, installation: undefined };
    this.#organizations.set(organization.id, organization);
    return organization;
  }

  /**
   * Waits for the first truthy value of a probe, which is called at once and after each change.
   *
   * @throws {Error} if there was none in time.
   * @example const answer = await slack.until(() => ann.sees(general).at(-1));
   */
  until<T>(probe: () => T, { timeoutMs = 25_000 }: { timeoutMs?: number } = {}): Promise<NonNullable<T>> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        stopListening();
      };
      const attempt = (): void => {
        try {
          const value = probe();
          if (!value) return;
          resolve(value);
        } catch (error) {
          reject(error);
        }
        end();
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`Waited ${timeoutMs} ms for: ${probe.toString()}\nThe last changes:\n${this.#lastLines()}`));
      }, timeoutMs);
      const stopListening = this.watch(attempt);
      attempt();
    });
  }

  /**
   * Subscribes to all further entries; returns a function that unsubscribes.
   *
   * @param listener must not throw.
   */
  watch(listener: (entry: TranscriptEntry) => void): () => void {
    return this.#world.onChange(listener);
  }

  /** The world as plain JSON, for `saved` of a later start. Private messages, modals and secrets are omitted. */
  save(): SavedSlack {
    return saveWorld(this.#world);
  }

  /** Answers the next calls of a method with 429 and `Retry-After`, in seconds. */
  limit(method: string, { times = 1, retryAfter = 1 }: { times?: number; retryAfter?: number } = {}): void {
    this.#world.addMishap(method, { kind: "answer", answer: rateLimitAnswer(retryAfter) }, times);
  }

  /**
   * From now on, answers `chat.postMessage` with 429 if a conversation gets more than about one message a second, and
   * `chat.update` if a workspace has more than 50 a minute. The transcript has each answer's `status`.
   *
   * @example slack.enforceLimits({ burst: 3 });
   */
  enforceLimits(limits: RateLimits = {}): void {
    this.#world.rates = new Rates(limits);
  }

  /**
   * Fails the next calls of a method. `response_url` counts as a method.
   *
   * @param failure `status` is 200 by default, as in Slack's own refusals.
   */
  fail(method: string, failure: { error?: string; status?: number; times?: number } = {}): void {
    const { error = "internal_error", status = 200, times = 1 } = failure;
    this.#world.addMishap(method, { kind: "answer", answer: refusedAnswer(status, error) }, times);
  }

  /** Carries out the next calls of a method, but breaks the connection instead of answering, as a network failure does. */
  loseAnswer(method: string, { times = 1 }: { times?: number } = {}): void {
    this.#world.addMishap(method, { kind: "lost" }, times);
  }

  /** Carries out the next calls of a method at once, but answers them late. */
  delay(method: string, ms: number, { times = 1 }: { times?: number } = {}): void {
    this.#world.addMishap(method, { kind: "late", ms }, times);
  }

  /** Refuses blocks of these types from now on, like a Slack that does not support them yet. */
  refuseBlocks(types: readonly string[]): void {
    for (const type of types) this.#world.refusedBlocks.add(type);
  }

  /** Sends the next delivery twice, as if the first response was lost. */
  repeatNext(): void {
    this.#world.repeats += 1;
  }

  /** Asks the app to reopen its sockets. */
  refreshSockets(): void {
    refreshSockets(this.#world);
  }

  /** Breaks all sockets, as a network failure does. */
  breakSockets(): void {
    breakSockets(this.#world);
  }

  /** Opens the app's page for installing it as a person, and presses Allow. Returns the last page. */
  allow(installUrl: string, { by }: { by: Person }): Promise<Response> {
    return decideInstall(this.#world, installUrl, by, "allow");
  }

  /** The same, but presses Cancel. */
  deny(installUrl: string, { by }: { by: Person }): Promise<Response> {
    return decideInstall(this.#world, installUrl, by, "deny");
  }

  /** Stops the server, its sockets, and running requests. */
  stop(): Promise<void> {
    return this.#world.stop();
  }

  #lastLines(): string {
    const entries = this.transcript.slice(-5);
    const lines = entries.map(({ what, name, detail }) => `  ${what} ${name} ${JSON.stringify(detail)}`);
    return lines.map((line) => line.slice(0, 500)).join("\n") || "  none";
  }
}
