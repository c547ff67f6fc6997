import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../errors.js";

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

/** Where profiles are kept: the folder in which the user's programs keep what they are told. */
export function profilesFile(env: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform): string {
  const folder = env.XDG_CONFIG_HOME || (platform === "win32" && env.APPDATA) || join(home, ".config");
  return join(folder, "media-ops", "profiles.json");
}

/**
 * Reads the profiles; none where there is no file.
 *
 * @throws {CliError} where the file can't be read, or is not what `media login` wrote.
 */
export async function readProfiles(file: string): Promise<Profiles> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new CliError(`${file} can't be read: ${error.message}.`);
  });
  if (text === undefined) return { profiles: {} };
  const profiles = parse(text);
  if (profiles) return profiles;
  throw new CliError(`${file} is not as "media login" writes it. Mend it, or remove it and log in again.`);
}

/** Keeps the profiles in a file that nobody but its owner can read. A file is written beside it and takes its place. */
export async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: OWNER_ONLY });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new CliError(`${file} can't be written: ${(error as Error).message}.`);
  }
}

/** Takes from others the right to read the file; says so where they had it. */
export async function closeToOthers(file: string, platform: NodeJS.Platform): Promise<string | undefined> {
  if (platform === "win32") return undefined;
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => OWNER_ONLY,
  );
  if ((mode & 0o077) === 0) return undefined;
  await chmod(file, OWNER_ONLY);
  return `${file} could be read by others on this machine; now it can't. If others use it, replace its keys.`;
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
  if (!all.every((entry): entry is [string, Profile] => isProfile(entry[1]))) return undefined;
  return { ...(typeof current === "string" && { current }), profiles: Object.fromEntries(all) };
}

function isProfile(value: unknown): value is Profile {
  if (!isRecord(value)) return false;
  const { baseUrl, apiKey, project } = value;
  return typeof baseUrl === "string" && typeof apiKey === "string" && ["string", "undefined"].includes(typeof project);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
