import type { Logger } from "pino";
import type { Config } from "./config/config.js";
import type { Clients } from "./connections/client-of.js";
import type { Connections } from "./connections/connections.js";
import type { ReadBudget } from "./connections/read-budget.js";
import type { Listings } from "./logs/listings.js";
import type { Claims } from "./once/claims.js";
import type { People } from "./slack/people.js";
import type { Mintings } from "./tokens/mintings.js";

/** What all features work with. */
export interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly connections: Connections;
  readonly clients: Clients;
  readonly reads: ReadBudget;
  readonly mintings: Mintings;
  readonly claims: Claims;
  readonly people: People;
  readonly listings: Listings;
  /** Goes on with something that nobody waits for; the bot does not end before it is done. */
  later(task: () => Promise<void>): void;
}
