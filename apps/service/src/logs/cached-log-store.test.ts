import { databaseUrl } from "@media-ops/test-databases";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { openLogs } from "../storage/stores.js";
import type { NewEntry } from "./log-store.js";

const ROUNDS = 60;
const AT_ONCE = 5;

const entry = (id: number): NewEntry => {
  const timestamp = new Date().toISOString();
  return { projectId: "demo", kind: "webhooks", timestamp, text: JSON.stringify({ timestamp, id }) };
};

it("shows no entry twice and none too few, though others come while it is read", async () => {
  const storage = await openStorage(await databaseUrl());
  onTestFinished(() => storage.close());
  const writer = await openLogs(storage, Date.now);
  let written = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // It has read nothing yet: all of the log is read while it grows.
    const reader = await openLogs(storage, Date.now);
    const writing = Array.from({ length: AT_ONCE }, () => writer.append([entry(written++)]));
    const reading = Array.from({ length: AT_ONCE }, () => reader.list("demo", "webhooks"));
    await Promise.all([...writing, ...reading]);
    const { body } = await reader.list("demo", "webhooks");
    const ids = (JSON.parse(body.toString()) as { id: number }[]).map(({ id }) => id);
    expect([...ids].sort((one, other) => one - other)).toEqual(Array.from({ length: written }, (_, id) => id));
  }
});
