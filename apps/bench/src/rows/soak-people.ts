import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import {
  type FakeSlack,
  type Person,
  type Place,
  type SeenMessage,
  textOf,
  type Workspace,
} from "@media-ops/fake-slack";

const PEOPLE = 6;

/** Runs work at a fixed interval until the signal, one run at a time. Returns the number of successful runs. */
export async function repeat(
  everyMs: number,
  work: (nth: number) => Promise<void>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<number> {
  let done = 0;
  let due = performance.now();
  for (let nth = 0; ; nth++) {
    await setTimeout(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) return done;
    await work(nth).then(() => done++, onError);
    // Lost time is not made up for, to keep an even pace.
    due = Math.max(due + everyMs, performance.now());
  }
}

/** Adds people to a workspace who use the bot, each in their own channel. Returns a function that runs the nth turn. */
export function askerOf(slack: FakeSlack, team: Workspace): (nth: number) => Promise<void> {
  const askers = Array.from({ length: PEOPLE }, (_, at) => {
    const person = team.addUser({ name: `person-${at}` });
    return { person, place: team.addChannel({ name: `room-${at}`, members: [person] }) };
  });
  return async (nth) => {
    const { person, place } = askers[nth % PEOPLE] ?? assert.fail();
    // Clears the state of an earlier turn, even if that one failed.
    person.reload();
    await turns[nth % turns.length]?.({ slack, person, place });
  };
}

interface Asker {
  readonly slack: FakeSlack;
  readonly person: Person;
  readonly place: Place;
}

/** The actions of people. New entries are written all the time, so the numbers on a page are not known beforehand. */
const turns: readonly ((asker: Asker) => Promise<unknown>)[] = [
  async (asker) => {
    const first = await answerTo(asker, "/media logs webhooks status<400", /status < 400, project soak-0/);
    await press(asker, await press(asker, first, "Older", /\d+–\d+ of/), "Newer", /\d+–\d+ of/);
  },
  async (asker) => {
    const summary = await answerTo(asker, "/media summary connections", /Summary of .*connections.*, project soak-0/);
    await press(asker, summary, "Entries", /connections?.*, project soak-0/);
  },
  (asker) => answerTo(asker, "/media token lobby", /eyJ[\w-]+\.[\w-]+\.[\w-]+/),
  (asker) => answerTo(asker, "/media logs sessions last:50", /sessions?.*, project soak-0/),
  (asker) => answerTo(asker, "/media help", /\/media logs/),
];

async function answerTo({ slack, person, place }: Asker, line: string, expected: RegExp): Promise<SeenMessage> {
  const { shownError } = await person.command(line, { in: place });
  assert.equal(shownError, undefined);
  const message = await slack.until(() => person.sees(place).at(-1));
  assert.match(textOf(message), expected);
  return message;
}

/** Presses a button, and returns the same message after its update. */
async function press(
  { slack, person }: Asker,
  message: SeenMessage,
  button: string,
  expected: RegExp,
): Promise<SeenMessage> {
  const before = textOf(message);
  const { shownError } = await person.press(message, button);
  assert.equal(shownError, undefined);
  const changed = await slack.until(() => {
    const now = person.messageAt(message);
    return now && textOf(now) !== before ? now : undefined;
  });
  assert.match(textOf(changed), expected);
  return changed;
}
