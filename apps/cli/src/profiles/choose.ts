import { CliError } from "../errors.js";
import { isProfileName } from "./name.js";
import { type Profile, type Profiles, profileNamed } from "./profiles.js";

/** Where the service of the README's first commands runs. */
export const DEFAULT_BASE_URL = "http://127.0.0.1:8080";

/** The service that is meant. */
export interface Chosen extends Profile {
  /** Where the key came from, in words. */
  from: string;
  /** How what is wrong with it is called, as a sentence begins with it. */
  called: { baseUrl: string; apiKey: string };
  /** What to do about it. */
  mend?: string;
}

/** The profile that was asked for by name: with `--profile`, else with MEDIA_PROFILE. */
export function profileAskedFor(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return flag ?? (env.MEDIA_PROFILE || undefined);
}

/** What the environment says, which holds where no profile was asked for; undefined where it has no key. */
export function chooseFromEnvironment(env: NodeJS.ProcessEnv): Chosen | undefined {
  // Where a key is kept in a file, a line's end often comes along.
  const [apiKey, baseUrl, project] = [env.MEDIA_API_KEY, env.MEDIA_BASE_URL, env.MEDIA_PROJECT_ID].map((value) =>
    value?.trim(),
  );
  if (!apiKey) return undefined;
  return {
    baseUrl: baseUrl || DEFAULT_BASE_URL,
    apiKey,
    ...(project && { project }),
    from: "the environment",
    called: { baseUrl: "MEDIA_BASE_URL", apiKey: "MEDIA_API_KEY" },
  };
}

/**
 * The profile of that name; without one, the profile that is used now.
 *
 * @throws {CliError} where there is none.
 */
export function chooseProfile(name: string | undefined, stored: Profiles): Chosen {
  const meant = name ?? stored.current;
  const profile = meant === undefined ? undefined : profileNamed(meant, stored);
  if (meant !== undefined && profile) {
    const called = { baseUrl: `The address of profile ${meant}`, apiKey: `The API key of profile ${meant}` };
    return { ...profile, from: `profile ${meant}`, called, mend: `To change it: media login ${meant}` };
  }
  if (name !== undefined)
    throw noSuchProfile(name, stored, isProfileName(name) ? `To make it: media login ${name}` : "");
  const [first] = Object.keys(stored.profiles);
  throw new CliError(
    first === undefined
      ? "There is no API key yet. Run: media login. Or set MEDIA_BASE_URL and MEDIA_API_KEY."
      : `Which profile is meant? ${thereIs(stored)} To choose one: media use ${first}`,
  );
}

/** What to say of a name that no profile has, and what to do about it. */
export function noSuchProfile(name: string, stored: Profiles, next = ""): CliError {
  return new CliError(`There is no profile ${JSON.stringify(name)}. ${thereIs(stored)} ${next}`.trimEnd(), 2);
}

function thereIs({ profiles }: Profiles): string {
  const names = Object.keys(profiles);
  return names.length === 0 ? "There is none yet." : `There is ${names.join(", ")}.`;
}
