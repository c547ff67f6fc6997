import { MediaError } from "@media-ops/sdk";
import { open } from "../connect.js";
import { CliError } from "../errors.js";
import type { CommandNamed } from "../language.js";
import { nextAtLogin, problemText } from "../problem.js";
import { safeAddress } from "../profiles/address.js";
import { type Chosen, DEFAULT_BASE_URL } from "../profiles/choose.js";
import { type Profile, profileNamed, profilesFile, readProfiles, writeProfiles } from "../profiles/profiles.js";
import { createPrompter } from "../screen/prompter.js";
import type { Session } from "../session.js";
import { sayWhatComesBefore } from "./profiles.js";

/** `media login`: asks for address, project and key, tries them, and keeps them. */
export async function login({ profile: name = "default" }: CommandNamed<"login">, session: Session): Promise<void> {
  const file = profilesFile(session.world);
  const stored = await readProfiles(file);
  const profile = await ask(profileNamed(name, stored), session);
  await tryOut(profile, session);
  await writeProfiles(file, { current: name, profiles: { ...stored.profiles, [name]: profile } });
  session.say(`Logged in. The key is kept in ${file}, for you alone, as profile ${name}, which is used from now on.`);
  sayWhatComesBefore(name, session);
}

async function ask(known: Profile | undefined, session: Session): Promise<Profile> {
  const { stdin, stderr, env } = session.world;
  const proposed = safeAddress(known?.baseUrl) ?? safeAddress(env.MEDIA_BASE_URL) ?? DEFAULT_BASE_URL;
  const prompter = createPrompter(stdin, stderr);
  try {
    const baseUrl = (await prompter.ask(`Address of the service [${proposed}]: `)) || proposed;
    // At once, and not after two more questions.
    open(typed({ baseUrl, apiKey: "none-yet" }), session);
    const project = (await prompter.ask(`Project${known?.project ? ` [${known.project}]` : ""}: `)) || known?.project;
    const apiKey = await prompter.ask("API key (is not shown): ", { isSecret: true });
    if (apiKey === "") throw new CliError("There is no key to keep. Nothing was changed.");
    return { baseUrl: safeAddress(baseUrl) ?? baseUrl, apiKey, ...(project && { project }) };
  } finally {
    prompter.close();
  }
}

/** Asks for the log of the project's calls: it shows at once whether address, key and project belong together. */
async function tryOut(profile: Profile, session: Session): Promise<void> {
  const { client, project, wait } = open(typed(profile), session, { maxRetries: 0 });
  try {
    await wait(client.logs.api({ project_id: project }, { signal: session.world.signal }));
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    throw new CliError(`${problemText(error, session, nextAtLogin)}\nNothing was changed.`);
  }
}

const typed = (profile: Profile): Chosen => ({
  ...profile,
  from: "what was typed",
  called: { baseUrl: "The address", apiKey: "The API key" },
});
