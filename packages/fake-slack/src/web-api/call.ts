import type { IncomingMessage } from "node:http";
import { type Handler, sendJson, urlOf } from "../http.js";
import { Refusal } from "../refusal.js";
import type { Installation, Json, Team, World } from "../world/model.js";
import { takeMishap } from "../world/world.js";
import { argumentsOf } from "./arguments.js";
import type { BotMethod, Call } from "./method.js";
import { methods } from "./methods.js";

export const API_PATH = "/api/";

/** Answers a call of the Web API, and records it in the transcript. */
export const handleCall: Handler = async (world, request, response) => {
  const name = urlOf(request).pathname.slice(API_PATH.length);
  const args = await argumentsOrRefusal(request);
  const given = args instanceof Refusal ? {} : args;
  const token = tokenOf(request, given);
  const mishap = takeMishap(world, name);
  const { status, body, headers } = mishap ?? {
    status: 200,
    ...(args instanceof Refusal
      ? { body: refused(args), headers: {} }
      : await answer(name, { world, token, args, request })),
  };
  const installation = installationOf(world, token);
  // Slack doesn't show these to developers either.
  const { token: _, client_secret: __, ...shown } = given;
  world.record({
    teamId: installation?.team.id,
    what: "call",
    name,
    users: installation ? [installation.installation.botUserId] : [],
    detail: { args: shown, status, answer: body },
  });
  sendJson(response, status, body, headers);
};

interface Answer {
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;
}

async function answer(name: string, call: Call): Promise<Answer> {
  const method = methods[name];
  if (!method) {
    const error = `fake-slack does not model ${name}`;
    return { body: refused(new Refusal("unknown_method", { req_method: name, detail: error })), headers: {} };
  }
  if (method.by === "anyone") return { body: await bodyFrom(() => method.run(call)), headers: {} };
  const holder = installationOf(call.world, call.token);
  if (!holder) return { body: refused(wrongToken(call.world, call.token)), headers: {} };
  const headers = {
    "x-oauth-scopes": holder.installation.scopes.join(","),
    "x-accepted-oauth-scopes": method.scopes.join(","),
  };
  const body = await bodyFrom(() => {
    refuseMissingScope(method, holder.installation);
    return method.run({ ...call, ...holder });
  });
  return { body, headers };
}

async function argumentsOrRefusal(request: IncomingMessage): Promise<Json | Refusal> {
  try {
    return await argumentsOf(request);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function tokenOf(request: IncomingMessage, args: Json): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  return bearer ?? (typeof args.token === "string" ? args.token : undefined);
}

/** The workspace, and the installation in it, that a token belongs to. */
function installationOf(
  world: World,
  token: string | undefined,
): { team: Team; installation: Installation } | undefined {
  if (token === undefined || token === "") return undefined;
  for (const team of world.teams.values()) {
    if (team.installation?.botToken === token) return { team, installation: team.installation };
  }
  return undefined;
}

function wrongToken(world: World, token: string | undefined): Refusal {
  if (token === undefined || token === "") return new Refusal("not_authed");
  if (token === world.app.appToken) return new Refusal("not_allowed_token_type");
  return new Refusal(world.deadTokens.get(token) ?? "invalid_auth");
}

function refuseMissingScope({ scopes }: BotMethod, installation: Installation): void {
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
