import { CliError } from "../errors.js";
import type { CommandNamed } from "../language.js";
import { type Profiles, readProfiles, writeProfiles } from "../profiles/profiles.js";
import type { Session } from "../session.js";

/** `media profiles`: the services that were logged in to. The keys are not shown. */
export async function profiles(_: CommandNamed<"profiles">, session: Session): Promise<void> {
  const { file, flags, print, say } = session;
  const { current, profiles: known } = await readProfiles(file);
  const all = Object.entries(known).map(([name, { baseUrl, project }]) => ({
    name,
    baseUrl,
    ...(project && { project }),
    current: name === current,
  }));
  if (flags.json) return print(JSON.stringify(all));
  if (all.length === 0) return say("There is no profile yet. To make one: media login");
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, baseUrl, project, current: isCurrent } of all) {
    print(`${isCurrent ? "*" : " "} ${name.padEnd(width)}  ${baseUrl}${project ? `  project ${project}` : ""}`);
  }
}

/** `media use`: the profile that is meant from now on where none is named. */
export async function use({ profile }: CommandNamed<"use">, { file, say }: Session): Promise<void> {
  const stored = await readProfiles(file);
  mustKnow(profile, stored);
  await writeProfiles(file, { ...stored, current: profile });
  say(`From now on profile ${profile} is used.`);
}

/** `media logout`: forgets a profile and its key. The key itself stays good until it is revoked. */
export async function logout({ profile }: CommandNamed<"logout">, { file, say }: Session): Promise<void> {
  const { current, profiles: known } = await readProfiles(file);
  const name = profile ?? current;
  if (name === undefined) throw new CliError("There is no profile to log out of.");
  mustKnow(name, { profiles: known });
  const { [name]: _forgotten, ...rest } = known;
  const next = current === name ? Object.keys(rest)[0] : current;
  await writeProfiles(file, { ...(next !== undefined && { current: next }), profiles: rest });
  say(`Profile ${name} is forgotten. Its key works on until it is revoked in the service.`);
  if (next !== undefined && next !== current) say(`From now on profile ${next} is used.`);
}

function mustKnow(name: string, { profiles: known }: Profiles): void {
  if (Object.hasOwn(known, name)) return;
  const names = Object.keys(known);
  const there = names.length === 0 ? "There is none." : `There is ${names.join(", ")}.`;
  throw new CliError(`There is no profile "${name}". ${there}`, 2);
}
