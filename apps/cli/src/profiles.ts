import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { CliError, systemReason } from "./errors.js";
import type { World } from "./session.js";

/** A service, and the key that opens one project there. */
export interface Profile {
  baseUrl: string;
  apiKey: string;
  /** The key's project: with it, a channel can be named without `@<project>`. */
  project?: string;
}

/** What `media login` has kept. */
export interface Profiles {
  /** The one that is used where none is named: the last that was logged in to or chosen. */
  current?: string;
  profiles: Readonly<Record<string, Profile>>;
}

const OWNER_ONLY = 0o600;

/**
 * Where profiles are kept: the folder in which the user's programs keep what they are told.
 *
 * @throws {CliError} where the system does not say which that is.
 */
export function profilesFile({ env, home, platform }: Pick<World, "env" | "home" | "platform">): string {
  // The XDG specification wants paths that are not absolute to be passed over.
  const given = [env.XDG_CONFIG_HOME, platform === "win32" ? env.APPDATA : undefined];
  const folder = given.find((path) => path && isAbsolute(path)) ?? (home && join(home, ".config"));
  if (folder) return join(folder, "media-ops", "profiles.json");
  throw new CliError("There is no home folder to keep profiles in. Set HOME, or MEDIA_BASE_URL and MEDIA_API_KEY.");
}

/** The profile of that name, also where it is called as something that all objects have. */
export function profileNamed(name: string, { profiles }: Profiles): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/**
 * Reads the profiles; none where there is no file.
 *
 * @throws {CliError} where the file can't be read, or is not what `media login` wrote.
 */
export async function readProfiles(file: string): Promise<Profiles> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new CliError(`${file} can't be read: ${systemReason(error)}.`);
  });
  if (text === undefined) return { profiles: {} };
  const profiles = parse(text);
  if (profiles) return profiles;
  throw new CliError(`${file} is not as "media login" writes it. Mend it, or remove it and log in again.`);
}

/**
 * Keeps the profiles in a file that nobody but its owner can read. A file is written beside it and takes its place; a
 * link to the file stays a link.
 *
 * @throws {CliError} where it can't be written.
 */
export async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  const place = await realpath(file).catch(() => file);
  const draft = `${place}.${process.pid}`;
  try {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: OWNER_ONLY });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new CliError(`${file} can't be written: ${systemReason(error)}. Nothing was changed.`);
  }
}

/** Takes from others the right to read the file, and says so; undefined where they did not have it. */
export async function closeToOthers(file: string, platform: NodeJS.Platform): Promise<string | undefined> {
  if (platform === "win32") return undefined;
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => OWNER_ONLY,
  );
  if ((mode & 0o077) === 0) return undefined;
  return chmod(file, OWNER_ONLY).then(
    () => `${file} could be read by others on this machine; now it can't. If others use it, replace its keys.`,
    (error) => `${file} can be read by others on this machine, and that can't be changed: ${systemReason(error)}.`,
  );
}

function parse(text: string): Profiles | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(read) || !isRecord(read.profiles)) return undefined;
  const { current, profiles } = read;
  const all = Object.entries(profiles);
  if (!all.every((entry): entry is [string, Profile] => isProfileName(entry[0]) && isProfile(entry[1]))) {
    return undefined;
  }
  return { ...(typeof current === "string" && { current }), profiles: Object.fromEntries(all) };
}

function isProfile(value: unknown): value is Profile {
  if (!isRecord(value)) return false;
  const { baseUrl, apiKey, project } = value;
  return typeof baseUrl === "string" && typeof apiKey === "string" && ["string", "undefined"].includes(typeof project);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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

/** An address as it may be shown: without user, password and query, in which somebody may have put a secret. */
export function shownAddress(address: string): string {
  return safeAddress(address) ?? "(no address)";
}

/** The same; undefined for what is no address of the web, which may be a user and a password. */
export function safeAddress(address = ""): string | undefined {
  const { protocol, host, pathname } = new URL(URL.canParse(address) ? address : "none:");
  return /^https?:$/.test(protocol) ? `${protocol}//${host}${pathname}`.replace(/\/+$/, "") : undefined;
}

// What needs no quotes in a shell, and can't be taken for a flag.
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** Whether a profile can be called so. */
export function isProfileName(name: string): boolean {
  return NAME.test(name);
}
