import { clean } from "@media-ops/formatters/terminal";
import { createMediaClient, type MediaClient, type MediaClientOptions, MediaUsageError } from "@media-ops/sdk";
import { CliError } from "./errors.js";
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
import { requesterOf, type Session } from "./session.js";

/** A service, ready for requests. */
export interface Connected extends Pick<ServiceChoice, "project" | "from"> {
  client: MediaClient;
  /** The service's address, without secrets. */
  address: string;
  /** Waits for an answer, and reports once if it takes long. */
  wait<T>(answer: Promise<T>): Promise<T>;
}

type ConnectOptions = Pick<MediaClientOptions, "onResponse" | "maxRetries">;

/**
 * Connects to the service of the requested profile, of the environment, or of the current profile, in this order.
 *
 * @throws {CliError} if there is none.
 */
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

/**
 * Connects to this service.
 *
 * @throws {CliError} if its address or key is invalid.
 */
export function open(choice: ServiceChoice, { say, world }: Session, options?: ConnectOptions): Connected {
  const { baseUrl, project, from } = choice;
  const address = shownAddress(baseUrl);
  const requestedBy = requesterOf(world);
  let failure: string | undefined;
  const warn = (message: string): void => {
    failure = clean(message);
  };
  return {
    client: clientFor(choice, { ...options, requestedBy, logger: { warn } }),
    address,
    from,
    ...(project && { project }),
    wait: (answer) => patiently(answer, () => say(`${failure ?? `No answer from ${address} yet.`} Ctrl-C stops.`)),
  };
}

/** Creates a client. For an invalid option, the error names the user's own setting. */
function clientFor(choice: ServiceChoice, options: Partial<MediaClientOptions>): MediaClient {
  const { baseUrl, apiKey, called, remedy = "" } = choice;
  try {
    return createMediaClient({ ...options, baseUrl, apiKey, from: "cli" });
  } catch (error) {
    if (!(error instanceof MediaUsageError)) throw error;
    const message = error.message.replace(/^(?:baseUrl|apiKey)\b/, (name) => {
      return name === "baseUrl" ? called.baseUrl : called.apiKey;
    });
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
