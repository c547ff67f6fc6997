import { buttonsOf, type Person, type Place, type SeenMessage, type SeenView } from "@media-ops/fake-slack";

interface TourOptions {
  /** An admin. */
  readonly ann: Person;
  readonly bob: Person;
  /** The bot is in it. */
  readonly general: Place;
  /** The audit channel, in which ann decides what bob asks for. */
  readonly desk: Place;
  readonly botMention: string;
  /** Shortcuts by their `callback_id`. */
  readonly shortcuts: readonly string[];
  /** Message shortcuts by their `callback_id`. */
  readonly messageShortcuts: readonly string[];
  readonly demo: { readonly url: string; readonly apiKey: string; beginIncident(): void };
  /** A second service with empty logs. After `refuse` is called, it refuses every key. */
  readonly other: { readonly url: string; refuse(): void };
  /** Performs a step, and waits until the bot has answered. */
  step(name: string, act: () => Promise<unknown>): Promise<void>;
  /** Waits for a truthy value. */
  until<T>(probe: () => T): Promise<NonNullable<T>>;
}

const KINDS = ["sessions", "connections", "api", "media-api", "webhooks", "events"];

/** Uses every feature of the bot once: each command, mention, button and modal, and the home. */
export async function tour(options: TourOptions): Promise<void> {
  const { ann, bob, general, desk, botMention, step, until, shortcuts, messageShortcuts, demo, other } = options;
  const type = (person: Person, line: string): Promise<void> =>
    step(`${line.replace(demo.apiKey, "<API key>")} (${person.name})`, () => person.command(line, { in: general }));
  const newest = (person: Person): SeenMessage => found(person.sees(general).at(-1), `a message for ${person.name}`);
  const press = (label: string, message: SeenMessage | SeenView = newest(ann)): Promise<void> =>
    step(`button "${label}"`, () => ann.press(message, label));
  const home = (): SeenView => found(ann.home, "Ann's home");
  const connect = async (entries: Record<string, string>): Promise<void> => {
    await type(ann, "/media connect");
    await step(`/media connect, submitted with ${entries.Project}`, () => ann.submit(entries));
    await ann.close();
  };

  // Before any project is connected.
  for (const person of [ann, bob]) {
    await type(person, "/media");
    await type(person, "/media logs webhooks");
    await type(person, "/media projects");
    await step(`the home of ${person.name}, without projects`, () => person.openHome());
  }
  await type(bob, "/media connect");
  await bob.close();
  await connect({ Address: demo.url, Project: "demo", "API key": "mo_not_known" });
  await connect({ Address: demo.url, Project: "demo", "API key": demo.apiKey });

  await type(ann, "/media");
  for (const topic of ["", " logs", " summary", " token", " filters", " times"]) await type(ann, `/media help${topic}`);
  for (const wrong of ["lgos", "logs webhooks sttus:500", "logs webhooks since:soon", demo.apiKey]) {
    await type(ann, `/media ${wrong}`);
  }

  for (const kind of KINDS) {
    await type(ann, `/media logs ${kind}`);
    const listing = newest(ann);
    await step(`details of one of the ${kind}`, () => ann.choose(listing, "Details of…", firstOption(listing)));
    await step(`what belongs to one of the ${kind}`, async () => {
      if (ann.modal?.submit === undefined) await ann.close();
      else await ann.submit();
    });
    await type(ann, `/media logs ${kind} as:compact last:5`);
    await type(ann, `/media summary ${kind}`);
  }
  await type(ann, "/media logs webhooks");
  for (const label of ["Older", "Newer", "CSV", "Share here"]) await press(label);
  await press("Look closer", sharedIn(ann, general));
  await type(ann, "/media logs webhooks as:json last:5");
  await type(ann, "/media logs webhooks type:nothing.of.the.kind");
  await type(ann, "/media logs webhooks in:nowhere");
  await type(ann, "/media summary webhooks type:nothing.of.the.kind");
  await type(ann, "/media summary webhooks");
  for (const label of ["Chart of times", "Share here"]) await press(label);
  await type(ann, "/media status");

  await type(ann, "/media why lobby since:1h");
  for (const label of ["Refresh", "Share here"]) await press(label);
  await press("Look closer", sharedIn(ann, general));
  await type(ann, "/media why clinic since:1m");
  await type(ann, "/media trace lobby since:1h");
  const trace = newest(ann);
  await step("details of a line of a trace", () => ann.choose(trace, "Details of…", firstOption(trace)));
  await ann.close();
  for (const label of ["Older", "Newer", "CSV", "Share here"]) await press(label);
  await press("Look closer", sharedIn(ann, general));
  await type(ann, "/media trace nothing-of-the-kind");
  await type(ann, "/media live");
  await press("Refresh");
  await type(ann, "/media live lobby");

  await type(ann, "/media token lobby for:5m");
  await type(bob, "/media token lobby role:sendrecv for:30d");
  await type(ann, "/media token");
  await step("the token modal, submitted", () => ann.submit({ Channel: "lobby", Reason: "a check" }));
  for (const shortcut of shortcuts) {
    await step(`shortcut ${shortcut}`, () => ann.shortcut(shortcut));
    await ann.close();
  }
  for (const shortcut of messageShortcuts) {
    for (const text of ["Calls drop in lobby@demo, why?", "Has anybody had lunch?"]) {
      const message = await bob.says(text, { in: general });
      await step(`shortcut ${shortcut}: ${text}`, () => ann.messageShortcut(message, shortcut));
      await ann.close();
    }
  }

  for (const label of ["Approve", "Deny"]) {
    await type(bob, "/media token lobby role:sendrecv for:1h");
    const refused = newest(bob);
    await step("approval is asked for", async () => {
      await bob.press(refused, "Ask for approval…");
      await until(() => bob.modal?.submit);
      await bob.submit({ Reason: "a check" });
      await until(() => requestIn(ann, desk, label));
    });
    await press(label, found(requestIn(ann, desk, label), "a request"));
  }
  await type(ann, "/media tokens");
  const tokens = newest(ann);
  await step("a token is revoked", async () => {
    await ann.press(tokens, "Revoke…");
    await until(() => ann.modal?.submit);
    await ann.submit({ "Their connections": ["disconnect"] });
  });
  await ann.close();
  for (const act of ["revoke lobby", "disconnect lobby", "disconnect nowhere", "resend since:30d", "enable event"]) {
    await type(ann, `/media ${act}`);
    await ann.close();
    await type(bob, `/media ${act}`);
    await bob.close();
  }
  for (const list of ["tokens all", "deliveries", "endpoints", "audit", "audit as:json"])
    await type(ann, `/media ${list}`);

  for (const text of ["why lobby since:1h", "logs webhooks", "token lobby", "disconnect lobby", "lgos", ""]) {
    await step(`the mention ${text}`, () => bob.says(`${botMention} ${text}`, { in: general }));
  }

  await type(ann, "/media watch webhooks when:failed>50% over:10s");
  await press("Would it have fired?");
  await type(ann, "/media watch webhooks when:failed>50% over:10s");
  await type(ann, "/media digest at:09:00");
  await press("Show it now");
  await type(ann, "/media digest");
  await type(ann, "/media watches");
  const list = newest(ann);
  await press("Test", list);
  await step("a watch is edited", async () => {
    await ann.press(list, "Edit…");
    await until(() => ann.modal?.submit);
    await ann.submit({ "Quiet hours": "22:00-07:00", "Also outside Slack": "https://events.example/hook" });
  });
  await ann.close();
  await press("End the digest", list);
  await press("Stop", list);
  await type(ann, "/media watch webhooks when:failed>50% over:10s");
  const incident = (label: string): SeenMessage | undefined =>
    ann.sees(general).find((message) => isIncident(message) && hasButton(message, label));
  await step("an incident begins", async () => {
    demo.beginIncident();
    await until(() => incident("Entries"));
  });
  for (const label of ["Entries", "Summary", "I'm on it"]) await press(label, await until(() => incident(label)));
  await step("the incident is muted", async () => {
    await ann.press(await until(() => incident("Mute 1 h")), "Mute 1 h");
    await until(() => incident("Unmute"));
  });

  // With a second project.
  await connect({ Address: other.url, Project: "other", "API key": "mo_any_key" });
  await type(ann, "/media use demo");
  await type(ann, "/media projects");
  await type(bob, "/media use other for:workspace");
  await type(bob, "/media forget other");
  await step("the home of ann, with projects", () => ann.openHome());
  for (const label of ["Failing webhooks", "Summary", "Status", "Projects", "Help"]) {
    await press(label, home());
    await ann.close();
  }
  await type(ann, "/media logs sessions in:other");
  await type(ann, "/media watch webhooks failed in:other");
  other.refuse();
  for (const person of [ann, bob]) await type(person, "/media status in:other");
  await type(ann, "/media forget other");
  await press("Remove other");
  await step("a watch of other is paused", () =>
    until(() => ann.direct().some(({ text }) => text.includes("is paused"))),
  );
  await type(ann, "/media watches");
  await press("Resume");
}

/** The message of an incident is identified by a block of it. */
const isIncident = ({ blocks }: SeenMessage): boolean => JSON.stringify(blocks).includes('"block_id":"watch:');

/** The newest request for approval that waits. */
const requestIn = (person: Person, place: Place, label: string): SeenMessage | undefined =>
  person
    .sees(place)
    .filter((message) => hasButton(message, label))
    .at(-1);

const hasButton = (message: SeenMessage, label: string): boolean =>
  buttonsOf(message).some(({ text }) => text === label);

function sharedIn(person: Person, place: Place): SeenMessage {
  const shared = person.sees(place).filter(({ isOnlyVisibleToYou }) => !isOnlyVisibleToYou);
  return found(shared.at(-1), "a shared message");
}

/** Returns the first option of the menu in a message. */
function firstOption({ blocks }: SeenMessage): string {
  const options = /"options":\[\{"text":\{"type":"plain_text","text":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(blocks));
  return String(JSON.parse(found(options?.[1], "a menu")));
}

function found<T>(what: T | undefined, name: string): T {
  if (what === undefined) throw new Error(`The tour through the bot expected ${name}, and there is none.`);
  return what;
}
