import { readFile } from "node:fs/promises";
import { flagTable } from "./flags.js";
import { type CommandNamed, language } from "./language.js";
import { profilesFile, readProfiles } from "./profiles/profiles.js";
import type { Session } from "./session.js";
import type { World } from "./world.js";

/** `media completion`: what a shell needs to know. It asks `media __complete` at each press of the key. */
export async function completion({ shell }: CommandNamed<"completion">, { write }: Session): Promise<void> {
  write(await readFile(new URL(`../completion/media.${shell}`, import.meta.url), "utf8"));
}

/**
 * What could stand at the end of what was typed so far: a candidate and what it means on each line. The shells that know
 * how give the words, the others the line.
 */
export async function complete(argv: readonly string[], world: World): Promise<void> {
  const [how, ...rest] = argv;
  const words = how === "--line" ? (rest[0] ?? "").trimStart().split(/\s+/).slice(1) : rest;
  for (const { text, about } of await candidates(words, world)) world.stdout.write(`${text}\t${about}\n`);
}

interface Candidate {
  text: string;
  about: string;
}

async function candidates(words: readonly string[], world: World): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? "";
  if (last.startsWith("--")) {
    return flagTable.filter(({ name }) => name.startsWith(last)).map(({ name, about }) => ({ text: name, about }));
  }
  const isProfile = words.at(-2) === "--profile" || (words.length === 2 && /^(use|login|logout)$/.test(words[0] ?? ""));
  if (isProfile) return profileNames(last, world);
  return language.complete(
    words.filter((word) => !word.startsWith("--")),
    { now: world.now(), timeZone: world.timeZone },
  );
}

async function profileNames(begun: string, { env, home, platform }: World): Promise<Candidate[]> {
  const { profiles } = await readProfiles(profilesFile(env, home, platform));
  return Object.entries(profiles)
    .filter(([name]) => name.startsWith(begun))
    .map(([name, { baseUrl }]) => ({ text: name, about: baseUrl }));
}
