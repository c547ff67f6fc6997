import { MediaError } from "@media-ops/sdk";
import { open } from "../connect.js";
import { CliError, STOPPED } from "../errors.js";
import type { CommandNamed } from "../language.js";
import { nextAtLogin, problemText } from "../problem.js";
import { safeAddress } from "../profiles/address.js";
import { type Chosen, DEFAULT_BASE_URL } from "../profiles/choose.js";
import { type Profile, profileNamed, profilesFile, readProfiles, writeProfiles } from "../profiles/profiles.js";
import { createPrompter, NOTHING_CHANGED, type Prompter } from "../screen/prompter.js";
import type { Session } from "../session.js";
import { sayWhatComesBefore } from "./profiles.js";

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
