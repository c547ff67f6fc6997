import { runCli } from "@media-ops/service";
import * as z from "zod";
import type { KeptDemo } from "../kept.js";
import type { Hooks } from "./past.js";

/** Settings of the service, by their names. */
export type ServiceEnv = Readonly<Record<string, string>>;

/** The demo project can't be opened: what is kept of it is spoilt, as the message says. */
class DemoError extends Error {
  override readonly name = "DemoError";
}

export const PROJECT_ID = "demo";

const projectKey = z.object({ api_key: z.string() });
const intakeKey = z.object({ intake_key: z.string() });
const keys = z.array(z.object({ key_id: z.string(), revoked_at: z.string().nullable() }));

/**
 * The demo project as it was left, or a new one: with its keys, and its webhooks going to where they are taken. What
 * somebody has set otherwise meanwhile stays as it is.
 */
export async function openProject(env: ServiceEnv, kept: KeptDemo | undefined, hooks: Hooks): Promise<KeptDemo> {
  const known = await run(env, ["keys", "list", PROJECT_ID], keys).catch(() => undefined);
  const apiKey = isGood(kept?.apiKey, known)
    ? kept.apiKey
    : (await run(env, known ? ["keys", "create", PROJECT_ID] : ["projects", "create", PROJECT_ID], projectKey)).api_key;
  // With another key than before, the database is another one, or was changed by hand.
  const isSame = apiKey === kept?.apiKey;
  const forIntake = isSame && isGood(kept.intakeKey, await run(env, ["intake-keys", "list"], keys));
  for (const kind of ["session", "event"] as const) {
    if (known && isSame && kept.hooks[kind] === hooks[kind]) continue;
    await run(env, ["webhooks", "set", PROJECT_ID, kind, hooks[kind]], z.unknown());
  }
  return {
    apiKey,
    intakeKey: forIntake
      ? kept.intakeKey
      : (await run(env, ["intake-keys", "create", "playground"], intakeKey)).intake_key,
    hooks,
  };
}

/** Whether a key is one that the service still takes. */
function isGood(key: string | undefined, known: z.infer<typeof keys> | undefined): key is string {
  const id = /^m[oi]_([^_]+)_/.exec(key ?? "")?.[1];
  return known?.some(({ key_id, revoked_at }) => key_id === id && revoked_at === null) === true;
}

/** Runs a command of `media-ops`, and gives what it says. */
async function run<T>(env: ServiceEnv, args: readonly string[], schema: z.ZodType<T>): Promise<T> {
  const said: string[] = [];
  const complaints: string[] = [];
  const exitCode = await runCli([...args, "--json"], {
    env,
    now: Date.now,
    write: (text) => void said.push(text),
    complain: (text) => void complaints.push(text),
  });
  if (exitCode !== 0) {
    throw new DemoError(`The demo project can't be opened: ${complaints.join("").trim()}
Where nothing of it is to be kept, npx -y pnpm@12 start --fresh begins anew.`);
  }
  return schema.parse(JSON.parse(said.join("")));
}
