import { clean, textWidth } from "@media-ops/formatters/terminal";
import { MediaError } from "@media-ops/sdk";
import { open } from "./connect.js";
import { CliError, STOPPED } from "./errors.js";
import type { CommandNamed } from "./language.js";
import { nextAtLogin, problemText } from "./output.js";
import {
  type Chosen,
  DEFAULT_BASE_URL,
  noSuchProfile,
  type Profile,
  type Profiles,
  profileNamed,
  profilesFile,
  readProfiles,
  safeAddress,
  shownAddress,
  writeProfiles,
} from "./profiles.js";
import { createPrompter, NOTHING_CHANGED, type Prompter } from "./prompter.js";
import type { Session } from "./session.js";

/** `media login`: asks for address, project and key, tries them, and keeps them. */
export async function login({ profile: name = "default" }: CommandNamed<"login">, session: Session): Promise<void> {
  const file = profilesFile(session.world);
  const stored = await readProfiles(file);
  const prompter = createPrompter(session.world.stdin, session.world.stderr);
  try {
    const profile = await askAndTry(profileNamed(name, stored), prompter, session);
    await writeProfiles(file, { current: name, profiles: { ...stored.profiles, [name]: profile } });
  } finally {
    await prompter.close();
  }
  session.say(`Logged in. The key is kept in ${file}, for you alone, as profile ${name}, which is used from now on.`);
  sayWhatComesBefore(name, session);
}

/** Asks again, with the last answers as proposals, until the service takes them; once if no person answers. */
async function askAndTry(known: Profile | undefined, prompter: Prompter, session: Session): Promise<Profile> {
  for (let proposed = known; ; ) {
    const profile = await ask(proposed, prompter, session);
    const problem = await tryOut(profile, prompter, session);
    if (problem === undefined) return profile;
    if (!prompter.isTerminal) throw new CliError(`${problem}\nNothing was changed.`);
    await prompter.drop();
    session.show(`${problem}\nNothing was changed. Try again; Ctrl-C stops.`);
    proposed = profile;
  }
}

async function ask(known: Profile | undefined, prompter: Prompter, session: Session): Promise<Profile> {
  const { env } = session.world;
  const proposed = safeAddress(known?.baseUrl) ?? safeAddress(env.MEDIA_BASE_URL) ?? DEFAULT_BASE_URL;
  const baseUrl = await prompter.ask(`Address of the service [${proposed}]: `, (answer) => {
    const address = answer || proposed;
    open(typed({ baseUrl: address, apiKey: "none-yet" }), session);
    return safeAddress(address) ?? address;
  });
  const project = await prompter.ask(`Project${known?.project ? ` [${known.project}]` : ""}: `, (answer) => {
    if (answer.startsWith(KEY_PREFIX))
      throw new CliError("That is an API key. Give the project's name, or nothing.", 2);
    return answer || known?.project;
  });
  const apiKey = await prompter.ask(
    "API key (is not shown): ",
    (answer) => {
      if (answer === "") throw new CliError("There is no key to keep. Nothing was changed.");
      open(typed({ baseUrl, apiKey: answer }), session);
      return answer;
    },
    { isSecret: true },
  );
  return { baseUrl, apiKey, ...(project && { project }) };
}

/**
 * Asks for the log of the project's calls: it shows at once whether address, key and project belong together. Gives what
 * is wrong.
 */
async function tryOut(profile: Profile, { stopped }: Prompter, session: Session): Promise<string | undefined> {
  const { client, project, wait } = open(typed(profile), session, { maxRetries: 0 });
  const signal = AbortSignal.any([session.world.signal, stopped]);
  try {
    await wait(client.logs.api({ project_id: project }, { signal }));
    return undefined;
  } catch (error) {
    if (stopped.aborted) throw new CliError(NOTHING_CHANGED, STOPPED);
    if (signal.aborted || !(error instanceof MediaError)) throw error;
    return problemText(error, session, nextAtLogin);
  }
}

/** What every API key begins with. */
const KEY_PREFIX = "mo_";

const typed = (profile: Profile): Chosen => ({
  ...profile,
  from: "what was typed",
  called: { baseUrl: "The address", apiKey: "The API key" },
});

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
