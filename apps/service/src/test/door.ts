import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { startTestIntake, type TestIntake } from "./intake-harness.js";
import { present, type TestAttempt } from "./media-events.js";

/** A service to which clients send admission requests, with clocks that the test sets. */
export interface Door extends TestIntake {
  /** Sets both clocks to a time after the start. */
  passTo(ms: number): void;
  /** Sets the wall clock ahead, while no time passes. */
  setAhead(ms: number): void;
  /** Whether a client with a token for `most` connections is admitted. */
  isLetIn(attempt?: TestAttempt): Promise<boolean>;
}

/** Starts the service; the clients' token allows `most` connections in a channel. */
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
