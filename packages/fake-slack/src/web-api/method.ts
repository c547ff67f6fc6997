import type { IncomingMessage } from "node:http";
import type { Installation, Json, Team, World } from "../world/model.js";

/** A call of the Web API. */
export interface Call {
  readonly world: World;
  /** From the header or the arguments; not verified yet. */
  readonly token: string | undefined;
  /** From the address and the body, which is a form or JSON. In a form every argument is a text. */
  readonly args: Json;
  readonly request: IncomingMessage;
}

/** A call by the app in a workspace in which it is installed. */
export interface BotCall extends Call {
  readonly team: Team;
  readonly installation: Installation;
}

/** A method that needs the bot's token. */
export interface BotMethod {
  readonly by: "bot";
  /** One of these is needed; an empty list needs none. */
  readonly scopes: readonly string[];
  /** Returns the answer without `ok: true`; throws a `Refusal` if Slack would refuse. */
  run(call: BotCall): Json | Promise<Json>;
}

/** A method that verifies its caller itself. */
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
