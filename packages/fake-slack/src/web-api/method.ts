import type { IncomingMessage } from "node:http";
import type { Installation, Json, Team } from "../world/model.js";
import type { World } from "../world/world.js";

/** A call of the Web API. */
export interface Call {
  readonly world: World;
  /** From the header or the arguments; not verified yet. */
  readonly token: string | undefined;
  /** From the URL and the body, which is a form or JSON. In a form, every argument is a text. */
  readonly args: Json;
  readonly request: IncomingMessage;
}

/** A call by the app in a workspace in which it is installed. */
export interface BotCall extends Call {
  readonly team: Team;
  readonly installation: Installation;
}

/** Methods that verify their caller themselves, by name. Their responses have the same form as a bot's. */
export type OpenMethods = Readonly<Record<string, (call: Call) => Json>>;

/** Methods that need the bot's token, by name. */
export type BotMethods = Readonly<
  Record<
    string,
    {
      /** One of these is needed; an empty list needs none. */
      readonly scopes: readonly string[];
      /** Returns the response without `ok: true`; throws a `Refusal` if Slack would refuse. */
      run(call: BotCall): Json;
    }
  >
>;
