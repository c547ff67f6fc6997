import type { FakeSlack, TranscriptEntry } from "@media-ops/fake-slack";
import { aboutOf } from "./about.js";
import { fieldOf } from "./json.js";
import type { Exchange } from "./protocol.js";
import { createTail, type Tail } from "./tail.js";
import { withoutSecrets } from "./without-secrets.js";

export interface Exchanges extends Pick<Tail<Exchange>, "items" | "watch"> {
  stop(): void;
}

/** What goes between Slack and the app: what there was, and what comes, as long as it is not stopped. */
export function followExchanges(slack: FakeSlack, { keeps }: { keeps: number }): Exchanges {
  const tail = createTail<Exchange>({ keeps });
  let lastId = 0;
  const take = (entry: TranscriptEntry): void => {
    const { at, what, name, detail } = entry;
    if (what !== "call" && what !== "delivery") return;
    lastId += 1;
    const shown = withoutSecrets(detail);
    const status = fieldOf(detail, "status");
    tail.add({
      id: lastId,
      at,
      what,
      name,
      // A delivery that nobody answered has 0.
      status: typeof status === "number" && status > 0 ? status : undefined,
      about: aboutOf(entry, shown),
      detail: shown,
    });
  };
  for (const entry of slack.transcript) take(entry);
  return { items: tail.items, watch: tail.watch, stop: slack.watch(take) };
}
