import { databaseUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { openStores } from "../storage/stores.js";
import type { Taken } from "./intake-store.js";

const now = Date.parse("2026-04-01T00:00:05Z");

it.each(["2026-03-31T23:59:60Z", "2026-03-31T23:59:60.999999999Z", "2026-03-31T23:59:59.1Z"])(
  "what ended at %s stands in the log once, however often it is told",
  async (timestamp) => {
    const storage = await openStorage(await databaseUrl({ memory: true }));
    onTestFinished(() => storage.close());
    const { intake, logs } = await openStores(storage, { owner: "me", now: () => now });
    const ended: Taken = {
      seats: { kind: "ended", projectId: "demo", channelId: "lobby@demo", connectionId: "c1", eventId: "e1" },
      entry: { projectId: "demo", kind: "connections", timestamp, text: JSON.stringify({ timestamp }) },
    };
    await intake.take([ended, ended]);
    await intake.take([ended]);
    expect(JSON.parse((await logs.list("demo", "connections")).body.toString())).toEqual([{ timestamp }]);
  },
);
