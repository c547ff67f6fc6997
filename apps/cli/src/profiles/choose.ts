import { CliError } from "../errors.js";
import type { Profile, Profiles } from "./profiles.js";

/** Where the service of the README's first commands runs. */
const DEFAULT_BASE_URL = "http://127.0.0.1:8080";

export interface Choice {
  /** `--profile`, or MEDIA_PROFILE. */
  name: string | undefined;
  env: NodeJS.ProcessEnv;
  stored: Profiles;
}

/**
 * Which service is meant, with which key: the profile that was named, else what the environment says, else the profile
 * that was logged in to last.
 *
 * @throws {CliError}
 */
export function chooseProfile({ name, env, stored }: Choice): Profile & { from: string } {
  if (name !== undefined) return named(name, stored);
  if (env.MEDIA_API_KEY) {
    const project = env.MEDIA_PROJECT_ID;
    return {
      baseUrl: env.MEDIA_BASE_URL || DEFAULT_BASE_URL,
      apiKey: env.MEDIA_API_KEY,
      ...(project && { project }),
      from: "the environment",
    };
  }
  if (stored.current !== undefined) return named(stored.current, stored);
  throw new CliError("There is no API key yet. Run: media login. Or set MEDIA_BASE_URL and MEDIA_API_KEY.");
}

function named(name: string, { profiles }: Profiles): Profile & { from: string } {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return { ...profile, from: `profile ${name}` };
  const names = Object.keys(profiles);
  const known = names.length === 0 ? "There is none yet." : `There is ${names.join(", ")}.`;
  throw new CliError(`There is no profile "${name}". ${known} To make it: media login ${name}`, 2);
}
