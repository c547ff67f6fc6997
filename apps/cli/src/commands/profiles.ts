import { clean, textWidth } from "@media-ops/formatters/terminal";
import { CliError } from "../errors.js";
import type { CommandNamed } from "../language.js";
import { shownAddress } from "../profiles/address.js";
import { noSuchProfile } from "../profiles/choose.js";
import { type Profiles, profileNamed, profilesFile, readProfiles, writeProfiles } from "../profiles/profiles.js";
import type { Session } from "../session.js";

/** `media profiles`: the services that were logged in to. The keys are not shown. */
export async function profiles(_: CommandNamed<"profiles">, session: Session): Promise<void> {
  const { flags, world, print, say } = session;
  const { current, profiles: known } = await readProfiles(profilesFile(world));
  const all = Object.entries(known).map(([name, { baseUrl, project }]) => ({
    name,
    baseUrl: shownAddress(baseUrl),
    ...(project && { project }),
    current: name === current,
  }));
  if (flags.json) return print(JSON.stringify(all));
  if (all.length === 0) return say("There is no profile yet. To make one: media login");
  const width = Math.max(...all.map(({ name }) => textWidth(name)));
  for (const { name, baseUrl, project, current: isCurrent } of all) {
    const room = " ".repeat(width - textWidth(name));
    print(`${isCurrent ? "*" : " "} ${name}${room}  ${baseUrl}${project ? `  project ${clean(project)}` : ""}`);
  }
}

/** `media use`: the profile that is meant from now on where none is named. */
export async function use({ profile }: CommandNamed<"use">, session: Session): Promise<void> {
  const file = profilesFile(session.world);
  const stored = await readProfiles(file);
  mustKnow(profile, stored);
  await writeProfiles(file, { ...stored, current: profile });
  session.say(`From now on profile ${profile} is used.`);
  sayWhatComesBefore(profile, session);
}

/** `media logout`: forgets a profile and its key. The key itself stays good until it is revoked. */
export async function logout({ profile }: CommandNamed<"logout">, { world, say }: Session): Promise<void> {
  const file = profilesFile(world);
  const stored = await readProfiles(file);
  const { current, profiles: known } = stored;
  const name = profile ?? current;
  if (name === undefined) throw new CliError("There is no profile to log out of.");
  mustKnow(name, stored);
  const { [name]: _forgotten, ...rest } = known;
  const next = current === name ? Object.keys(rest)[0] : current;
  await writeProfiles(file, { ...(next !== undefined && { current: next }), profiles: rest });
  say(`Profile ${name} is forgotten. Its key works on until it is revoked in the service.`);
  if (next !== undefined && next !== current) say(`From now on profile ${next} is used.`);
}

/** The environment comes before the profile that is used now: without a word, whoever chose it would wonder. */
export function sayWhatComesBefore(name: string, { world, say }: Session): void {
  const { MEDIA_PROFILE, MEDIA_API_KEY } = world.env;
  if (MEDIA_PROFILE === name) return;
  const first = MEDIA_PROFILE ? "MEDIA_PROFILE" : MEDIA_API_KEY ? "MEDIA_API_KEY" : undefined;
  if (first) say(`But ${first} is set, and comes before it: unset it, or add --profile ${name}.`);
}

function mustKnow(name: string, stored: Profiles): void {
  if (!profileNamed(name, stored)) throw noSuchProfile(name, stored);
}
