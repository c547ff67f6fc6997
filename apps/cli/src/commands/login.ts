import { createMediaClient } from "@media-ops/sdk";
import { CliError } from "../errors.js";
import type { CommandNamed } from "../language.js";
import { type Profile, readProfiles, writeProfiles } from "../profiles/profiles.js";
import { createPrompter, type Prompter } from "../screen/prompter.js";
import type { Session } from "../session.js";

/** `media login`: asks for address, project and key, tries them, and keeps them. */
export async function login({ profile: name = "default" }: CommandNamed<"login">, session: Session): Promise<void> {
  const { world, file, say } = session;
  const stored = await readProfiles(file);
  const known = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
  const prompter = createPrompter(world.stdin, world.stderr);
  try {
    const profile = await ask(prompter, known);
    await tryOut(profile);
    await writeProfiles(file, { current: name, profiles: { ...stored.profiles, [name]: profile } });
  } finally {
    prompter.close();
  }
  say(`Logged in. The key is kept in ${file}, for you alone, as profile ${name}.`);
}

async function ask(prompter: Prompter, known: Profile | undefined): Promise<Profile> {
  const proposed = known?.baseUrl ?? "http://127.0.0.1:8080";
  const baseUrl = (await prompter.ask(`Address of the service [${proposed}]: `)) || proposed;
  const project = (await prompter.ask(`Project${known?.project ? ` [${known.project}]` : ""}: `)) || known?.project;
  const apiKey = await prompter.ask("API key (is not shown): ", { isSecret: true });
  if (apiKey === "") throw new CliError("There is no key to keep. Nothing was changed.");
  return { baseUrl, apiKey, ...(project && { project }) };
}

/** Asks for the log of the project's calls: it shows at once whether address, key and project belong together. */
async function tryOut({ project, ...service }: Profile): Promise<void> {
  await createMediaClient({ ...service, maxRetries: 0 }).logs.api({ project_id: project });
}
