import type { IncomingMessage } from "node:http";
import type { Installation, Json, Team, World } from "../world/model.js";

/** A call of the Web API, as a method gets it. */
export interface Call {
  readonly world: World;
  /** The token that came with it, be it in the header or among the arguments; not looked at yet. */
  readonly token: string | undefined;
  /** The arguments, from the address and the body, be that a form or JSON. In a form all of them are texts. */
  readonly args: Json;
  readonly request: IncomingMessage;
}

/** A call by the app in a workspace where it is installed. */
export interface BotCall extends Call {
  readonly team: Team;
  readonly installation: Installation;
}

/** A method that needs the bot's token. */
export interface BotMethod {
  readonly by: "bot";
  /** One of these is needed; none where it is empty. */
  readonly scopes: readonly string[];
  /** What it gives besides `ok: true`. Throws a `Refusal` where it refuses. */
  run(call: BotCall): Json | Promise<Json>;
}

/** A method that sees for itself who may call it. */
export interface OpenMethod {
  readonly by: "anyone";
  run(call: Call): Json | Promise<Json>;
}

export type Method = BotMethod | OpenMethod;

export function botMethod(scopes: readonly string[], run: BotMethod["run"]): BotMethod {
  return { by: "bot", scopes, run };
}

export function openMethod(run: OpenMethod["run"]): OpenMethod {
  return { by: "anyone", run };
}
