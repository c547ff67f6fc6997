import { describeDistributed, distributeDatabase, showProgress } from "@media-ops/database";
import { type Environment, readStorageConfig } from "../config.js";
import { migrations } from "./migrations.js";

/**
 * Distributes the bot's tables over the workers of Citus, in place.
 *
 * @returns a text for the operator.
 * @throws {ConfigError | DatabaseError} with the reason and the next step.
 */
export async function distributeBotStore(env: Environment): Promise<string> {
  const distributed = await distributeDatabase(readStorageConfig(env).databaseUrl, {
    owner: "bot",
    program: "media-bot",
    migrations,
    onStep: showProgress(process.stderr, Date.now),
  });
  return describeDistributed(distributed, "bot");
}
