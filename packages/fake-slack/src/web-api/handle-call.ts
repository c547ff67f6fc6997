import type { IncomingMessage } from "node:http";
import { type Handler, sendJson, urlOf } from "../http.js";
import { takeMishap } from "../world/mishaps.js";
import type { Json, World } from "../world/model.js";
import { type Answer, answer } from "./answer.js";
import { argumentsOf } from "./arguments.js";
import { Refusal } from "./refusal.js";

export const API_PATH = "/api/";

/** Answers a call of the Web API, and takes it down. */
export const handleCall: Handler = async (world, request, response) => {
  const name = urlOf(request).pathname.slice(API_PATH.length);
  const args = await argumentsOrRefusal(request);
  const isRead = !(args instanceof Refusal);
  const token = isRead ? tokenOf(request, args) : undefined;
  const mishap = takeMishap(world, name);
  if (mishap) {
    tell(world, { name, args: isRead ? args : {}, status: mishap.status, answer: mishap.body, token });
    return sendJson(response, mishap.status, mishap.body, mishap.headers);
  }
  const { body, headers }: Pick<Answer, "body" | "headers"> = isRead
    ? await answer(name, { world, token, args, request })
    : { body: { ok: false, error: args.error }, headers: {} };
  tell(world, { name, args: isRead ? args : {}, status: 200, answer: body, token });
  sendJson(response, 200, body, headers);
};

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

interface ToldCall {
  name: string;
  args: Json;
  status: number;
  answer: unknown;
  token: string | undefined;
}

function tell(world: World, { name, args, status, answer: answered, token }: ToldCall): void {
  const team = [...world.teams.values()].find(({ installation }) => installation?.botToken === token);
  // Slack does not show them to anybody either.
  const { token: _, client_secret: __, ...shown } = args;
  world.tell({
    teamId: team?.id,
    what: "call",
    name,
    users: team?.installation ? [team.installation.botUserId] : [],
    detail: { args: shown, status, answer: answered },
  });
}
