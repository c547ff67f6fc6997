import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { CliError, systemReason, type World } from "./session.js";

/** A service, and the key for one project there. */
export interface Profile {
  baseUrl: string;
  apiKey: string;
  /** The key's project: with it, channels need no `@<project>`. */
  project?: string;
}

/** The data stored by `media login`. */
export interface Profiles {
  /** The default profile: the last one that was logged in to or selected. */
  current?: string;
  profiles: Readonly<Record<string, Profile>>;
}

/** The service to use, and the source of its settings. */
export interface ServiceChoice extends Profile {
  from: string;
  /** The names of its settings, to start a message with. */
  called: { baseUrl: string; apiKey: string };
  remedy?: string;
}

/** The service's address in the README's first commands. */
export const DEFAULT_BASE_URL = "http://127.0.0.1:8080";

const OWNER_ONLY = 0o600;

/** Whether a profile may have this name: it needs no quotes in a shell and does not look like a flag. */
export function isProfileName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name);
}

/** The profile requested by `--profile` or, without it, by MEDIA_PROFILE. */
export function requestedProfile(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return flag ?? (env.MEDIA_PROFILE || undefined);
}

/** The service that the environment sets; undefined if it sets no key. */
export function fromEnvironment(env: NodeJS.ProcessEnv): ServiceChoice | undefined {
  // A key that is read from a file often ends with a line break.
  const [apiKey, baseUrl, project] = ["API_KEY", "BASE_URL", "PROJECT_ID"].map((name) => env[`MEDIA_${name}`]?.trim());
  if (!apiKey) return undefined;
  return {
    baseUrl: baseUrl || DEFAULT_BASE_URL,
    apiKey,
    ...(project && { project }),
    from: "the environment",
    called: { baseUrl: "MEDIA_BASE_URL", apiKey: "MEDIA_API_KEY" },
  };
}

/** The service of the profile with this name, or of the current one; throws {@link CliError} if there is none. */
export function fromProfiles(requested: string | undefined, stored: Profiles): ServiceChoice {
  const name = requested ?? stored.current;
  const profile = name === undefined ? undefined : profileNamed(name, stored);
  if (name !== undefined && profile) {
    const called = { baseUrl: `The address of profile ${name}`, apiKey: `The API key of profile ${name}` };
    return { ...profile, from: `profile ${name}`, called, remedy: `To change it: media login ${name}` };
  }
  if (requested !== undefined) {
    throw unknownProfile(requested, stored, isProfileName(requested) ? `To create it: media login ${requested}` : "");
  }
  const [first] = Object.keys(stored.profiles);
  if (first === undefined) {
    throw new CliError("There is no API key yet. Run: media login. Or set MEDIA_BASE_URL and MEDIA_API_KEY.");
  }
  throw new CliError(`No profile is chosen. ${profileList(stored)} To choose one: media use ${first}`);
}

/** The error for an unknown profile. */
export function unknownProfile(name: string, stored: Profiles, next = ""): CliError {
  return new CliError(`Unknown profile ${JSON.stringify(name)}. ${profileList(stored)} ${next}`.trimEnd(), 2);
}

function profileList({ profiles }: Profiles): string {
  const names = Object.keys(profiles);
  return names.length === 0 ? "There are no profiles yet." : `Profiles: ${names.join(", ")}.`;
}

/** The profile with this name; never an inherited property. */
export function profileNamed(name: string, { profiles }: Profiles): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** An address without user, password and query, which may be secret. */
export function shownAddress(address: string): string {
  return safeAddress(address) ?? "(no address)";
}

/** The same; undefined unless it is a web address: other text may contain a user and a password. */
export function safeAddress(address = ""): string | undefined {
  const { protocol, host, pathname } = new URL(URL.canParse(address) ? address : "none:");
  return /^https?:$/.test(protocol) ? `${protocol}//${host}${pathname}`.replace(/\/+$/, "") : undefined;
}

/** The file of the profiles, in the user's settings folder; throws {@link CliError} if the system has none. */
export function profilesFile({ env, home, platform }: Pick<World, "env" | "home" | "platform">): string {
  // The XDG specification says to ignore relative paths.
  const given = [env.XDG_CONFIG_HOME, platform === "win32" ? env.APPDATA : undefined];
  const folder = given.find((path) => path && isAbsolute(path)) ?? (home && join(home, ".config"));
  if (folder) return join(folder, "media-ops", "profiles.json");
  throw new CliError("There is no home folder for profiles. Set HOME, or MEDIA_BASE_URL and MEDIA_API_KEY.");
}

/** Reads the profiles; none without a file. Throws {@link CliError} if it can't be read or is invalid. */
export async function readProfiles(file: string): Promise<Profiles> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new CliError(`Cannot read ${file}: ${systemReason(error)}.`);
  });
  if (text === undefined) return { profiles: {} };
  const profiles = parseProfiles(text);
  if (profiles) return profiles;
  throw new CliError(`${file} is not valid. Correct it, or remove it and run: media login.`);
}

/** Stores the profiles for their owner alone; the file is replaced as a whole, and a link to it stays a link. */
export async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const draft = `${target}.${process.pid}`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: OWNER_ONLY });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new CliError(`Cannot write ${file}: ${systemReason(error)}. Nothing was changed.`);
  }
}

/** Makes the file private again if others can read it, and returns a warning about it. */
export async function protectFile(file: string, platform: NodeJS.Platform): Promise<string | undefined> {
  if (platform === "win32") return undefined;
  const { mode } = await stat(file).catch(() => ({ mode: OWNER_ONLY }));
  if ((mode & 0o077) === 0) return undefined;
  const others = "Other users of this machine";
  return chmod(file, OWNER_ONLY).then(
    () => `${others} could read ${file}; it is private again. Replace its keys if you share the machine.`,
    (error) => `${others} can read ${file}, and that cannot be changed: ${systemReason(error)}.`,
  );
}

/** The profiles in a file's text; undefined if it isn't JSON, or has something else. */
function parseProfiles(text: string): Profiles | undefined {
  try {
    const { current, profiles }: Profiles = JSON.parse(text);
    const isValid = Object.entries(profiles).every(([name, profile]) => isProfileName(name) && isProfile(profile));
    return isValid ? { ...(typeof current === "string" && { current }), profiles } : undefined;
  } catch {
    return undefined;
  }
}

function isProfile(value: unknown): boolean {
  const { baseUrl, apiKey, project = "" }: Partial<Record<keyof Profile, unknown>> = Object(value);
  return [baseUrl, apiKey, project].every((one) => typeof one === "string");
}
