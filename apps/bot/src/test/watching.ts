import { text } from "node:stream/consumers";
import { type Person, type Place, type SeenMessage, textOf } from "@media-ops/fake-slack";
import type { WebhookLogEntry } from "@media-ops/sdk";
import { language } from "../language.js";
import type { WatchPace } from "../watches/run.js";
import { readWatchCommand } from "../watches/watch-store.js";
import { startBadService } from "./services.js";
import { type Stage, type StageOptions, startStage } from "./stage.js";

/** Logs are read, and Slack is called, only when a test waits for that: nothing happens beside a set clock. */
export const STEPWISE: WatchPace = {
  waitSeconds: 0,
  collectMs: 0,
  pollMs: 3_600_000,
  retryMs: 20,
  channelMs: 0,
  tickMs: 3_600_000,
};

/** The same, but logs are read and incidents reported without waiting for a test: for a clock that a test moves on. */
export const PROMPT: WatchPace = { ...STEPWISE, pollMs: 20, tickMs: 20 };

/** A clock that stands still until it is set. */
export function setClock(at: string) {
  let now = Date.parse(at);
  return {
    now: () => now,
    /** Moves it on, in minutes. */
    pass(minutes: number): void {
      now += minutes * 60_000;
    },
  };
}

let sent = 0;

/** A webhook of this very moment that failed; no two are alike. */
export const failedWebhook = (now: number, more: Partial<WebhookLogEntry> = {}): WebhookLogEntry => ({
  timestamp: new Date(now).toISOString(),
  type: "session.created",
  url: "https://hooks.example/media",
  status: 503,
  elapsed_time_ms: ++sent,
  ...more,
});

/** The messages that everybody sees in a channel, without replies in threads. */
export const postedIn = (person: Person, place: Place): SeenMessage[] =>
  person.sees(place).filter(({ threadTs, isOnlyVisibleToYou }) => threadTs === undefined && !isOnlyVisibleToYou);

/** The replies in the thread of a message. */
export const notesOn = (person: Person, place: Place, { ts }: SeenMessage): string[] =>
  person
    .sees(place)
    .filter(({ threadTs }) => threadTs === ts)
    .map(textOf);

/** Sets up a watch in a channel, and waits until it looks. */
export async function startWatch({ slack, ann, general }: Stage, command: string, place = general): Promise<void> {
  const before = ann.sees(place).filter(({ isOnlyVisibleToYou }) => isOnlyVisibleToYou).length;
  await ann.command(`/media ${command}`, { in: place });
  await slack.until(() => ann.sees(place).filter(({ isOnlyVisibleToYou }) => isOnlyVisibleToYou)[before]);
}

/** A stage with a set clock, whose channel has the bot. */
export async function startWatching(settings: StageOptions = {}) {
  const clock = setClock("2026-07-28T10:00:00Z");
  const stage = await startStage({ now: clock.now, slackNow: Date.now, watchPace: STEPWISE, ...settings });
  const { slack, bob, general, service, team } = stage;
  team.inviteBot(general);
  const posted = () => postedIn(bob, general);
  return {
    ...stage,
    stage,
    clock,
    posted,
    async fail(count = 1, more = {}) {
      await service.add("webhooks", ...Array.from({ length: count }, () => failedWebhook(clock.now(), more)));
      if (settings.watchPace === undefined) await stage.watched();
    },
    /** Waits for a message with these words. */
    async says(words: string | RegExp) {
      await stage.settled();
      await stage.watched();
      return slack.until(() => posted().find((message) => new RegExp(words).test(textOf(message))));
    },
    /** Moves the clock on in steps of a minute, as long as the watch looks at each. */
    async pass(minutes: number) {
      for (let left = minutes; left > 0; left -= 1) {
        clock.pass(Math.min(left, 1));
        await stage.watched();
      }
    },
  };
}

/** A watch as it is stored, for tests that set up many. */
export function watchFrom(text: string, place: Place, by: Person, project = "demo") {
  const command = readWatchCommand(`watch ${text} in:${project}`);
  if (!command) throw new Error(`This isn't a watch: ${text}`);
  return { command, text: language.write(command), timeZone: "UTC", placeId: place.id, createdBy: by.id };
}

type Message = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

/** A receiver of what watches send outside Slack: answers with each status once, the last one always, after `held`. */
export async function startReceiver(statuses: readonly number[] = [204], held = Promise.resolve()) {
  const received: { id: string | null; headers: Headers; body: string; message: Message }[] = [];
  const left = [...statuses];
  const url = await startBadService(async (request, response) => {
    const body = await text(request);
    const headers = new Headers(request.headers as Record<string, string>);
    received.push({ id: headers.get("webhook-id"), headers, body, message: JSON.parse(body) });
    await held;
    response.writeHead((left.length > 1 ? left.shift() : left[0]) ?? 204).end();
  });
  return { url: `${url}/hook`, received };
}

/** Lets the only watch of a workspace also post to a URL outside Slack. */
export async function sendOutside(stage: Stage, url: string): Promise<void> {
  const { ann, slack } = stage;
  await ann.press(await stage.ask(ann, "/media watches"), "Edit…");
  await stage.form(ann);
  await ann.submit({ "Also outside Slack": url });
  await slack.until(() => ann.modal?.title === "Saved");
  await ann.close();
}
