import { problemText } from "./output.js";
import type { Session } from "./session.js";

/** What follows a failure, in commands that go on until they are stopped. */
export const RETRYING = "Retrying until the service answers.";

/** Reports the start and the end of an outage once each, for commands that go on until they are stopped. */
export function outageReporter({ world, flags, aside, show, say }: Session) {
  let failure: string | undefined;
  return {
    onError(error: unknown): void {
      const name = error instanceof Error ? error.name : "";
      if (name === failure) return;
      failure = name;
      show(problemText(error, { world, flags, aside }));
      say(RETRYING);
    },
    onResponse({ ok }: Response): void {
      if (!ok || failure === undefined) return;
      failure = undefined;
      say("The service answers again.");
    },
  };
}
