import { flagTable, takeFlags } from "../flags.js";
import { language } from "../language.js";
import { shownAddress } from "../profiles/address.js";
import { profilesFile, readProfiles } from "../profiles/profiles.js";
import type { Session } from "../session.js";

/** A word that could stand where one is being typed. */
export interface Candidate {
  text: string;
  about: string;
}

const PROFILE = "--profile=";

/** What could stand in the place of the last word; it is what was typed of it so far. */
export async function candidates(words: readonly string[], session: Session): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.at(-1) === "--profile") return profiles(last, session);
  const { words: plain } = takeFlags(before);
  const areFlagsOver = before.includes("--");
  if (last.startsWith(PROFILE) && !areFlagsOver) {
    const found = await profiles(last.slice(PROFILE.length), session);
    return found.map(({ text, about }) => ({ text: PROFILE + text, about }));
  }
  if (last.startsWith("--") && !areFlagsOver) {
    return flagTable.filter(({ name }) => name.startsWith(last)).map(({ name, about }) => ({ text: name, about }));
  }
  if (plain.length === 1 && /^(?:use|login|logout)$/.test(plain[0] ?? "")) return profiles(last, session);
  return language.complete([...plain, last]);
}

async function profiles(begun: string, { world }: Session): Promise<Candidate[]> {
  const stored = await readProfiles(profilesFile(world));
  return Object.entries(stored.profiles)
    .filter(([name]) => name.startsWith(begun))
    .map(([name, { baseUrl }]) => ({ text: name, about: shownAddress(baseUrl) }));
}
