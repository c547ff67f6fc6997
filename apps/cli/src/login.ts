import { clean, textWidth } from "@media-ops/formatters/terminal";
import { MediaError } from "@media-ops/sdk";
import { open } from "./connect.js";
import type { CommandNamed } from "./language.js";
import { nextAtLogin, printJson, problemText } from "./output.js";
import {
  DEFAULT_BASE_URL,
  type Profile,
  profileNamed,
  profilesFile,
  readProfiles,
  type ServiceChoice,
  safeAddress,
  shownAddress,
  unknownProfile,
  writeProfiles,
} from "./profiles.js";
import { createPrompter, NOTHING_CHANGED, type Prompter } from "./prompter.js";
import { CliError, type Session, STOPPED } from "./session.js";

const KEY_PREFIX = "mo_";

/** `media login`: requests address, project and key, tests them, and stores them. */
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
  session.say(`Logged in. The key is stored in ${file}, for you alone, as profile ${name}, the current profile.`);
  warnOfEnvironment(name, session);
}

/** Repeats the questions, with the last answers as defaults, until the service accepts them. */
async function askAndTry(known: Profile | undefined, prompter: Prompter, session: Session): Promise<Profile> {
  for (let proposed = known; ; ) {
    const profile = await ask(proposed, prompter, session);
    const problem = await problemWith(profile, prompter, session);
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
    open(typedChoice({ baseUrl: address, apiKey: "none-yet" }), session);
    return safeAddress(address) ?? address;
  });
  const project = await prompter.ask(`Project${known?.project ? ` [${known.project}]` : ""}: `, (answer) => {
    if (!answer.startsWith(KEY_PREFIX)) return answer || known?.project;
    throw new CliError("That is an API key. Type the project's name, or nothing.", 2);
  });
  const apiKey = await prompter.ask(
    "API key (hidden): ",
    (answer) => {
      if (answer === "") throw new CliError("The API key is missing. Nothing was changed.");
      open(typedChoice({ baseUrl, apiKey: answer }), session);
      return answer;
    },
    { isSecret: true },
  );
  return { baseUrl, apiKey, ...(project && { project }) };
}

/** Lists the project's calls, which proves that address, key and project belong together. */
async function problemWith(profile: Profile, { stopped }: Prompter, session: Session): Promise<string | undefined> {
  const { ask, project } = open(typedChoice(profile), session, { maxRetries: 0 });
  const signal = AbortSignal.any([session.world.signal, stopped]);
  try {
    await ask((client) => client.logs.api({ project_id: project }, { signal }));
    return undefined;
  } catch (error) {
    if (stopped.aborted) throw new CliError(NOTHING_CHANGED, STOPPED);
    if (signal.aborted || !(error instanceof MediaError)) throw error;
    return problemText(error, session, nextAtLogin);
  }
}

const typedChoice = (profile: Profile): ServiceChoice => ({
  ...profile,
  from: "the login",
  called: { baseUrl: "The address", apiKey: "The API key" },
});

/** `media profiles`: lists the profiles without their keys. */
export async function profiles(_: CommandNamed<"profiles">, session: Session): Promise<void> {
  const { flags, world, print, say } = session;
  const { current, profiles: known } = await readProfiles(profilesFile(world));
  const all = Object.entries(known).map(([name, { baseUrl, project }]) => ({
    name,
    baseUrl: shownAddress(baseUrl),
    ...(project && { project }),
    current: name === current,
  }));
  if (flags.json) return printJson(all, session);
  if (all.length === 0) return say("There are no profiles yet. To create one: media login");
  const width = Math.max(...all.map(({ name }) => textWidth(name)));
  for (const { name, baseUrl, project, current: isCurrent } of all) {
    const room = " ".repeat(width - textWidth(name));
    print(`${isCurrent ? "*" : " "} ${name}${room}  ${baseUrl}${project ? `  project ${clean(project)}` : ""}`);
  }
}

/** `media use`: selects the current profile. */
export async function use({ profile }: CommandNamed<"use">, session: Session): Promise<void> {
  const file = profilesFile(session.world);
  const stored = await readProfiles(file);
  if (!profileNamed(profile, stored)) throw unknownProfile(profile, stored);
  await writeProfiles(file, { ...stored, current: profile });
  session.say(`Profile ${profile} is now the current profile.`);
  warnOfEnvironment(profile, session);
}

/** `media logout`: removes a profile and its key. The key itself stays valid until it is revoked. */
export async function logout({ profile }: CommandNamed<"logout">, { world, say }: Session): Promise<void> {
  const file = profilesFile(world);
  const stored = await readProfiles(file);
  const { current, profiles: known } = stored;
  const name = profile ?? current;
  if (name === undefined) throw new CliError("There is no profile to log out of.");
  if (!profileNamed(name, stored)) throw unknownProfile(name, stored);
  const { [name]: _removed, ...rest } = known;
  const next = current === name ? Object.keys(rest)[0] : current;
  await writeProfiles(file, { ...(next !== undefined && { current: next }), profiles: rest });
  say(`Profile ${name} is removed. Its key stays valid until it is revoked in the service.`);
  if (next !== undefined && next !== current) say(`Profile ${next} is now the current profile.`);
}

/** Warns if the environment takes precedence over the current profile, which would be a surprise. */
function warnOfEnvironment(name: string, { world, say }: Session): void {
  const { MEDIA_PROFILE, MEDIA_API_KEY } = world.env;
  if (MEDIA_PROFILE === name) return;
  const first = MEDIA_PROFILE ? "MEDIA_PROFILE" : MEDIA_API_KEY ? "MEDIA_API_KEY" : undefined;
  if (first) say(`But ${first} is set and takes precedence: unset it, or add --profile ${name}.`);
}
