import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { startTestIntake, type TestIntake } from "./intake-harness.js";
import { present, type TestAttempt } from "./media-events.js";

/** A service at whose door clients ask to be let in, with clocks that the test sets. */
export interface Door extends TestIntake {
  /** Sets the clock to so long after the beginning. */
  passTo(ms: number): void;
  /** The wall clock is so far ahead from now on, though no time has passed. */
  setAhead(ms: number): void;
  /** Whether a client with a token for a single connection is let in. */
  isLetIn(attempt?: TestAttempt): Promise<boolean>;
}

/** Starts the service; the clients' token lets so many into a channel. */
export async function openDoor({
  most = 1,
  env = {},
}: {
  most?: number;
  env?: Record<string, string>;
} = {}): Promise<Door> {
  let [passed, ahead] = [0, 0];
  const test = await startTestIntake({ now: () => present + passed + ahead, elapsed: () => passed, env });
  const token = await signToken({ max_channel_connections: most }, apiKeyToTokenKey(test.apiKey));
  return {
    ...test,
    passTo(ms) {
      passed = ms;
    },
    setAhead(ms) {
      ahead = ms;
    },
    isLetIn: async (attempt = {}) => (await test.ask({ token, ...attempt })).allowed,
  };
}
