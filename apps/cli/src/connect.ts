import { clean } from "@media-ops/formatters/terminal";
import {
  type CallOptions,
  createMediaClient,
  type MediaClient,
  type MediaClientOptions,
  MediaMethodNotAllowedError,
  MediaNotFoundError,
  MediaUsageError,
} from "@media-ops/sdk";
import type { Command } from "./language.js";
import {
  fromEnvironment,
  fromProfiles,
  profilesFile,
  protectFile,
  readProfiles,
  requestedProfile,
  type ServiceChoice,
  shownAddress,
} from "./profiles.js";
import { CliError, requesterOf, type Session } from "./session.js";

/** A service, ready for requests. */
export interface Connected extends Pick<ServiceChoice, "project" | "from"> {
  client: MediaClient;
  address: string;
  /** Makes a call that the user can stop, and reports once if the answer takes long. */
  ask<T>(call: (client: MediaClient, options: Pick<CallOptions, "signal">) => Promise<T>): Promise<T>;
}

type ConnectOptions = Pick<MediaClientOptions, "onResponse" | "maxRetries">;

/** Connects to the service of the requested profile, of the environment, or of the current profile, in this order. */
export async function connect(session: Session, options?: ConnectOptions): Promise<Connected> {
  const { env } = session.world;
  const name = requestedProfile(session.flags.profile, env);
  const set = name === undefined ? fromEnvironment(env) : undefined;
  if (set) return open(set, session, options);
  const file = profilesFile(session.world);
  const warning = await protectFile(file, session.world.platform);
  if (warning !== undefined) session.say(warning);
  return open(fromProfiles(name, await readProfiles(file)), session, options);
}

/** Connects to this service; a {@link CliError} about its address or key names the user's own setting. */
export function open(choice: ServiceChoice, { say, world }: Session, options?: ConnectOptions): Connected {
  const { baseUrl, apiKey, project, from, called, remedy = "" } = choice;
  const address = shownAddress(baseUrl);
  let failure = `No answer from ${address} yet.`;
  const warn = (message: string): void => {
    failure = clean(message);
  };
  try {
    const own = { baseUrl, apiKey, from: "cli", requestedBy: requesterOf(world), logger: { warn } };
    const client = createMediaClient({ ...options, ...own });
    return {
      client,
      address,
      from,
      ...(project && { project }),
      ask: (call) => patiently(call(client, { signal: world.signal }), () => say(`${failure} Ctrl-C stops.`)),
    };
  } catch (error) {
    if (!(error instanceof MediaUsageError)) throw error;
    const message = error.message.replace(/^(?:baseUrl|apiKey)\b/, (name) => called[name as keyof typeof called]);
    throw new CliError(`${message} ${remedy}`.trimEnd(), 2);
  }
}

/** After this long without an answer, the user should see that the command is still waiting. */
const PATIENCE_MS = 4_000;

/** Waits for an answer, and reports once if it takes long. */
export async function patiently<T>(answer: Promise<T>, reportDelay: () => void): Promise<T> {
  const timer = setTimeout(reportDelay, PATIENCE_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether an error is the answer of a service that does not have the call: 404, or 405. */
export function isUnknownCall(error: unknown): boolean {
  return error instanceof MediaNotFoundError || error instanceof MediaMethodNotAllowedError;
}

const EVENTS =
  "has no event log. Update the service, or see what its other logs have: media logs connections, media logs webhooks.";
const TOKENS = "does not keep a record of access tokens, so it cannot list, revoke or check them. Update the service.";
const DELIVERIES =
  "cannot list or resend deliveries. Update the service, or see what its logs have: media logs webhooks failed.";
const ENDPOINTS =
  "cannot show or switch on webhook endpoints. Update the service, or see what its logs have: media summary webhooks by:url.";

/** What a service lacks if it refuses the calls of a command, and what to do instead. */
const lacking: { readonly [Name in Command["name"]]?: string } = {
  why: "has no event log, so it cannot say why connections failed. Update the service, or see what its other logs have: media trace <channel>, media summary webhooks failed.",
  live: "cannot say who is connected. Update the service, or list the connections that have ended: media logs connections.",
  logs: EVENTS,
  summary: EVENTS,
  follow: EVENTS,
  tokens: TOKENS,
  revoke: TOKENS,
  check: TOKENS,
  deliveries: DELIVERIES,
  resend: DELIVERIES,
  endpoints: ENDPOINTS,
  enable: ENDPOINTS,
  audit: "has no audit log. Update the service, or see what its logs have: media logs api, media logs media-api.",
};

/** The error to show instead, if the service lacks what a command needs; undefined if the error has another cause. */
export async function lackOf(command: Command, error: unknown, session: Session): Promise<CliError | undefined> {
  const isOldLog = "kind" in command && command.kind !== "events";
  const what = isOldLog ? undefined : lacking[command.name];
  if (what === undefined || !isUnknownCall(error)) return undefined;
  const { ask } = await connect(session);
  // Every media service lists sessions; where that is refused, too, there is none.
  return ask((client, options) => client.logs.sessions({ limit: 1 }, options)).then(
    () => new CliError(`This service ${what}`),
    () => undefined,
  );
}
