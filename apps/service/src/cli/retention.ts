import { CLOCK_TOLERANCE_MS, confirmClock, describePause, readClock, shownTime } from "@media-ops/database";
import { expiredBefore } from "../logs/log-store.js";
import { CONFIRM, countExpired } from "../logs/retention.js";
import type { Storage } from "../storage/open-storage.js";
import type { Command } from "./command.js";

/** `retention status` and `retention confirm`. */
export const retentionCommands: readonly Command[] = [
  {
    name: "retention status",
    parameters: [],
    summary: "Shows whether old data is deleted, and what this machine's clock would delete.",
    help: "Changes nothing. Exits with 1 if old data is kept for longer because the clock may be wrong.",
    async run({ open, now }) {
      const { storage } = await open();
      const time = now();
      const { clock, expired } = await statusAt(storage, time);
      const pause = clock && describePause(clock, CONFIRM);
      const state = pause ?? `Old data is deleted. ${lastTrusted(clock?.at)}`;
      return {
        text: `${state}\n${describeExpired(expired, time)}`,
        json: { paused: pause !== undefined, ...(pause && { detail: pause }), ...jsonOf(expired, clock?.at, time) },
        exitCode: pause === undefined ? 0 : 1,
      };
    },
  },
  {
    name: "retention confirm",
    parameters: [],
    options: [{ name: "yes", summary: "confirm that the clock is right, so that old data is deleted" }],
    summary: "Confirms that this machine's clock is right, so that the service deletes all old data again.",
    help: `The service deletes at most one day of old data in an hour while its clock may be wrong: after a jump of more than a day, or while the media server's timestamps are more than a day behind it.
First check that the time shown is right, on each machine that runs the service. Without --yes the command only shows what would be deleted.
Each service whose clock agrees with this machine's resumes within an hour; one whose clock is far ahead is still in doubt.`,
    async run({ open, now }, _, { switches }) {
      const { storage } = await open();
      const time = now();
      const { clock, expired } = await statusAt(storage, time);
      const isConfirmed = switches.has("yes");
      if (isConfirmed) await confirmClock(storage.query, "setting", time);
      const done = isConfirmed
        ? "The clock is confirmed. Each service whose clock agrees resumes within an hour, or when it starts."
        : "Nothing was changed. To confirm the time: media-ops retention confirm --yes";
      return {
        text: `${describeExpired(expired, time)}\n${done}`,
        json: { confirmed: isConfirmed, ...jsonOf(expired, clock?.at, time) },
      };
    },
  },
];

type Expired = Awaited<ReturnType<typeof statusAt>>["expired"];

async function statusAt({ query }: Storage, time: number) {
  const before = expiredBefore(time - CLOCK_TOLERANCE_MS);
  const [clock, counted] = [await readClock(query, "setting"), await countExpired(query, before)];
  return { clock, expired: { ...counted, before: new Date(before).toISOString() } };
}

const lastTrusted = (at: number | undefined): string =>
  at === undefined
    ? "No service has checked its clock yet."
    : `A service last found its clock right at ${shownTime(at)}.`;

function describeExpired({ entries, days, first, before }: Expired, time: number): string {
  const clock = `This machine's clock shows ${shownTime(time)}.`;
  if (entries === 0) return `${clock} No log entries are older than ${before}, so none would be deleted.`;
  return `${clock} It would delete ${entries} log entries of ${days} ${days === 1 ? "day" : "days"}, from ${first} to ${before}.`;
}

const jsonOf = ({ entries, days, first, before }: Expired, at: number | undefined, time: number) => ({
  clock: shownTime(time),
  last_trusted: at === undefined ? null : shownTime(at),
  expired: { entries, days, first: first ?? null, before },
});
