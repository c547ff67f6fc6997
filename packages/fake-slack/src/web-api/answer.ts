import type { Installation, Json, Team, World } from "../world/model.js";
import type { BotMethod, Call } from "./method.js";
import { methods } from "./methods.js";
import { Refusal } from "./refusal.js";

/** What a call is answered, and by whom it was made. */
export interface Answer {
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;
  readonly team: Team | undefined;
}

/** Does what a method does; what Slack refuses is an answer, too. */
export async function answer(name: string, call: Call): Promise<Answer> {
  const method = methods.get(name);
  if (!method)
    return { body: refused(new Refusal("unknown_method", { req_method: name })), headers: {}, team: undefined };
  if (method.by === "anyone") {
    return { body: await bodyFrom(() => method.run(call)), headers: {}, team: undefined };
  }
  const holder = holderOf(call.world, call.token);
  if (holder instanceof Refusal) return { body: refused(holder), headers: {}, team: undefined };
  const headers = {
    "x-oauth-scopes": holder.installation.scopes.join(","),
    "x-accepted-oauth-scopes": method.scopes.join(","),
  };
  const body = await bodyFrom(() => {
    refuseScope(method, holder.installation);
    return method.run({ ...call, ...holder });
  });
  return { body, headers, team: holder.team };
}

/** Who has a token: the app in one of the workspaces. */
function holderOf(world: World, token: string | undefined): { team: Team; installation: Installation } | Refusal {
  if (token === undefined || token === "") return new Refusal("not_authed");
  for (const team of world.teams.values()) {
    const { installation } = team;
    if (installation?.botToken === token) return { team, installation };
  }
  if (token === world.app.appToken) return new Refusal("not_allowed_token_type");
  return new Refusal(world.deadTokens.get(token) ?? "invalid_auth");
}

function refuseScope({ scopes }: BotMethod, installation: Installation): void {
  if (scopes.length === 0 || scopes.some((scope) => installation.scopes.includes(scope))) return;
  throw new Refusal("missing_scope", { needed: scopes.join(","), provided: installation.scopes.join(",") });
}

async function bodyFrom(run: () => Json | Promise<Json>): Promise<Json> {
  try {
    return { ok: true, ...(await run()) };
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    throw error;
  }
}

function refused({ error, extra }: Refusal): Json {
  return { ok: false, error, ...extra };
}
