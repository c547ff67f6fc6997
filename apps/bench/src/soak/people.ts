import assert from "node:assert/strict";
import {
  type FakeSlack,
  type Person,
  type Place,
  type SeenMessage,
  textOf,
  type Workspace,
} from "@media-ops/fake-slack";
import { type Pace, steadily } from "./pace.js";

const PEOPLE = 6;
const TURN_EVERY_MS = 1500;

/** Somebody in a conversation of her own. */
interface Asker {
  readonly slack: FakeSlack;
  readonly person: Person;
  readonly place: Place;
}

/** People who ask the bot for all that it answers, at their own pace. Gives how many answers they had. */
export async function runPeople(slack: FakeSlack, team: Workspace, pace: Pace): Promise<number> {
  const askers = Array.from({ length: PEOPLE }, (_, at): Asker => {
    const person = team.addUser({ name: `person-${at}` });
    return { slack, person, place: team.addChannel({ name: `room-${at}`, members: [person] }) };
  });
  const counts = await Promise.all(
    askers.map(async (asker, at) => {
      let answers = 0;
      await steadily(
        TURN_EVERY_MS,
        async (nth) => {
          // Nothing is left from another turn, also where that went wrong.
          asker.person.reload();
          answers += (await turns[(nth + at) % turns.length]?.(asker)) ?? 0;
        },
        pace,
      );
      return answers;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Each gives how many answers there were. Which entries are on a page is not known beforehand: new ones come all the time. */
const turns: readonly ((asker: Asker) => Promise<number>)[] = [
  async (asker) => {
    const first = await answerOf(asker, "/media logs webhooks status<400", /webhook logs of soak-0, status < 400/);
    const older = await pressed(asker, first, "Older", /\d+–\d+ of/);
    await pressed(asker, older, "Newer", /\d+–\d+ of/);
    return 3;
  },
  async (asker) => {
    const entries = await answerOf(asker, "/media summary connections", /summary of connection logs of soak-0/);
    await pressed(asker, entries, "Entries", /connection logs of soak-0/);
    return 2;
  },
  async (asker) => {
    await answerOf(asker, "/media token lobby", /eyJ[\w-]+\.[\w-]+\.[\w-]+/);
    return 1;
  },
  async (asker) => {
    await answerOf(asker, "/media logs sessions last:50", /session logs of soak-0/);
    return 1;
  },
  async (asker) => {
    await answerOf(asker, "/media help", /\/media logs/);
    return 1;
  },
];

/** The message that a command is answered with. */
async function answerOf({ slack, person, place }: Asker, line: string, expected: RegExp): Promise<SeenMessage> {
  const { shownError } = await person.command(line, { in: place });
  assert.equal(shownError, undefined);
  const message = await slack.until(() => person.sees(place).at(-1));
  assert.match(textOf(message), expected);
  return message;
}

/** The same message once a button has changed it. */
async function pressed(
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
