import type { IncomingMessage } from "node:http";
import { answerCall, type Handler, RateLimited, Refusal, rateLimitAnswer, refusedAnswer, urlOf } from "../http.js";
import { oauthMethods } from "../oauth/oauth.js";
import type { Answer, Json } from "../world/model.js";
import type { World } from "../world/world.js";
import {
  argumentsOf,
  type BotCall,
  type BotMethods,
  type Call,
  type OpenMethods,
  refuseWithoutScope,
} from "./method.js";
import { conversationMethods, messageMethods, validateBlocks, viewMethods, workspaceMethods } from "./methods.js";

/** The path of the Web API. */
export const API_PATH = "/api/";

/** The methods without a bot token. */
export const openMethods: OpenMethods = { ...oauthMethods, "blocks.validate": validateBlocks };

/** The methods of a bot. */
export const botMethods: BotMethods = {
  ...conversationMethods,
  ...messageMethods,
  ...viewMethods,
  ...workspaceMethods,
};

type Holder = Pick<BotCall, "team" | "installation">;

/** Handles a call of the Web API, and records it in the transcript. */
export const handleCall: Handler = async (world, request, response) => {
  const name = urlOf(request).pathname.slice(API_PATH.length);
  const read = await argumentsOf(request);
  const args = read instanceof Refusal ? {} : read;
  const token = tokenOf(request, args);
  const holder = holderOf(world, token);
  // Slack doesn't show these to developers either.
  const { token: _, client_secret: __, ...shown } = args;
  const users = holder ? [holder.installation.botUserId] : [];
  await answerCall(world, response, { teamId: holder?.team.id, name, users, args: shown }, () =>
    answerTo(name, read instanceof Refusal ? read : { world, token, args, request }, holder),
  );
};

function answerTo(name: string, call: Call | Refusal, holder: Holder | undefined): Answer {
  const headers = scopeHeaders(name, holder);
  try {
    if (call instanceof Refusal) throw call;
    return { status: 200, headers, body: { ok: true, ...run(name, call, holder) } };
  } catch (error) {
    if (error instanceof RateLimited) return rateLimitAnswer(error.retryAfter);
    if (error instanceof Refusal) return { ...refusedAnswer(200, error.error, error.extra), headers };
    throw error;
  }
}

function run(name: string, call: Call, holder: Holder | undefined): Json {
  const open = openMethods[name];
  if (open) return open(call);
  const method = botMethods[name];
  if (!method) {
    throw new Refusal("unknown_method", { req_method: name, detail: `fake-slack does not model ${name}` });
  }
  if (!holder) throw wrongToken(call);
  refuseWithoutScope(holder.installation, method.scopes);
  return method.run({ ...call, ...holder });
}

function scopeHeaders(name: string, holder: Holder | undefined): Readonly<Record<string, string>> {
  const method = botMethods[name];
  if (!method || !holder) return {};
  return {
    "x-oauth-scopes": holder.installation.scopes.join(","),
    "x-accepted-oauth-scopes": method.scopes.join(","),
  };
}

function tokenOf(request: IncomingMessage, args: Json): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  return bearer ?? (typeof args.token === "string" ? args.token : undefined);
}

/** The workspace, and the installation in it, that a token belongs to. */
function holderOf(world: World, token: string | undefined): Holder | undefined {
  for (const team of world.teams.values()) {
    const { installation } = team;
    if (installation && installation.botToken === token) return { team, installation };
  }
  return undefined;
}

function wrongToken({ world, token }: Call): Refusal {
  if (token === undefined || token === "") return new Refusal("not_authed");
  if (token === world.app.appToken) return new Refusal("not_allowed_token_type");
  return new Refusal(world.deadTokens.get(token) ?? "invalid_auth");
}
