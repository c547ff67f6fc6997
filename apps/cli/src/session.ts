import type { TimeOptions } from "@media-ops/formatters";
import { createMediaClient, type MediaClient } from "@media-ops/sdk";
import type { Flags } from "./flags.js";
import { chooseProfile } from "./profiles/choose.js";
import { closeToOthers, type Profile, profilesFile, readProfiles } from "./profiles/profiles.js";
import { type Screen, screenOf } from "./screen/screen.js";
import type { World } from "./world.js";

/** What every command works with. */
export interface Session {
  world: World;
  flags: Flags;
  /** How the output is to be drawn. */
  screen: Screen & TimeOptions;
  /** Where profiles are kept. */
  file: string;
  /** What was asked for: nothing else goes to the standard output, so that it can be piped. */
  print(text: string): void;
  /** The same without a line's end. */
  write(text: string): void;
  /** Headings, hints and questions. */
  say(text: string): void;
}

export function openSession(world: World, flags: Flags): Session {
  const timeZone = flags.utc ? "UTC" : world.timeZone;
  return {
    world,
    flags,
    screen: { ...screenOf(world.stdout, world.env), now: world.now(), timeZone },
    file: profilesFile(world.env, world.home, world.platform),
    print: (text) => void world.stdout.write(`${text}\n`),
    write: (text) => void world.stdout.write(text),
    say: (text) => void world.stderr.write(`${text}\n`),
  };
}

/** The service that is meant, ready to be asked. */
export interface Connected extends Profile {
  client: MediaClient;
  /** Where the key came from, in words. */
  from: string;
}

/**
 * Opens the service that is meant.
 *
 * @throws {CliError} where it is not known which.
 */
export async function connect({ world, flags, file, say }: Session): Promise<Connected> {
  const warning = await closeToOthers(file, world.platform);
  if (warning !== undefined) say(warning);
  const name = flags.profile ?? (world.env.MEDIA_PROFILE || undefined);
  const profile = chooseProfile({ name, env: world.env, stored: await readProfiles(file) });
  return { ...profile, client: createMediaClient(profile) };
}
