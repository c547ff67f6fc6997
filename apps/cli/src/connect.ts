import { clean } from "@media-ops/formatters/terminal";
import { createMediaClient, type MediaClient, type MediaClientOptions, MediaUsageError } from "@media-ops/sdk";
import { CliError } from "./errors.js";
import {
  type Chosen,
  chooseFromEnvironment,
  chooseProfile,
  closeToOthers,
  profileAskedFor,
  profilesFile,
  readProfiles,
  shownAddress,
} from "./profiles.js";
import type { Session } from "./session.js";

/** The service that is meant, ready to be asked. */
export interface Connected extends Pick<Chosen, "project" | "from"> {
  client: MediaClient;
  /** The service's address, as it may be shown. */
  address: string;
  /** Waits for an answer of the client; says so where it takes long, and why as far as that is known. */
  wait<T>(answer: Promise<T>): Promise<T>;
}

type ConnectOptions = Pick<MediaClientOptions, "onResponse" | "maxRetries">;

/**
 * Opens the service that is meant: the profile that was asked for by name, else what the environment says, else the
 * profile that is used now.
 *
 * @throws {CliError} where it is not known which.
 */
export async function connect(session: Session, options?: ConnectOptions): Promise<Connected> {
  const { flags, world } = session;
  const name = profileAskedFor(flags.profile, world.env);
  const chosen = name === undefined ? chooseFromEnvironment(world.env) : undefined;
  return open(chosen ?? (await stored(name, session)), session, options);
}

async function stored(name: string | undefined, { world, say }: Session): Promise<Chosen> {
  const file = profilesFile(world);
  const warning = await closeToOthers(file, world.platform);
  if (warning !== undefined) say(warning);
  return chooseProfile(name, await readProfiles(file));
}

/**
 * Opens this very service.
 *
 * @throws {CliError} where its address or key can't be one.
 */
export function open(chosen: Chosen, { say }: Session, options?: ConnectOptions): Connected {
  const { baseUrl, project, from } = chosen;
  const address = shownAddress(baseUrl);
  let failure: string | undefined;
  const warn = (message: string): void => {
    failure = clean(message);
  };
  return {
    client: clientFor(chosen, { ...options, logger: { warn } }),
    address,
    from,
    ...(project && { project }),
    wait: (answer) => patiently(answer, () => say(`${failure ?? `No answer from ${address} yet.`} Ctrl-C stops.`)),
  };
}

/** What the SDK says of its options is said in the words of whoever gave them. */
function clientFor({ baseUrl, apiKey, called, mend = "" }: Chosen, options: Partial<MediaClientOptions>): MediaClient {
  try {
    return createMediaClient({ ...options, baseUrl, apiKey });
  } catch (error) {
    if (!(error instanceof MediaUsageError)) throw error;
    const message = error.message.replace(/^(?:baseUrl|apiKey)\b/, (name) => {
      return name === "baseUrl" ? called.baseUrl : called.apiKey;
    });
    throw new CliError(`${message} ${mend}`.trimEnd(), 2);
  }
}

/** After so long without an answer, whoever waits wants to know that something still happens. */
const PATIENCE_MS = 4_000;

/** Waits for an answer, and says so once where it takes long. */
export async function patiently<T>(answer: Promise<T>, sayThatItTakesLong: () => void): Promise<T> {
  const timer = setTimeout(sayThatItTakesLong, PATIENCE_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
