import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it } from "vitest";
import { sweepAll } from "../storage/sweep.js";
import { openTestStorage } from "../test/storage.js";
import { AuditLog, type NewAudit } from "./audit-log.js";

const DAY = 24 * 60 * 60_000;

const act = (more: Partial<NewAudit> = {}): NewAudit => ({
  teamId: "T01",
  userId: "U01",
  action: "token.mint",
  placeId: "C01",
  via: "command",
  projectId: "demo",
  subject: undefined,
  ...more,
});

/** An audit log whose clock goes on by a second with each entry. */
async function openLog() {
  const storage = await openTestStorage(await databaseUrl());
  let now = 0;
  return { ...storage, audit: new AuditLog(storage, () => (now += 1000)) };
}

describe("the audit log", () => {
  it("has an act from its beginning, and its outcome once it is over", async () => {
    const { audit } = await openLog();
    const key = await audit.begin(act());
    const begun = { at: 1000, teamId: "T01", userId: "U01", action: "token.mint", placeId: "C01", via: "command" };
    expect(await audit.find("T01", { limit: 10 })).toEqual([
      { ...begun, id: key.id, projectId: "demo", subject: undefined, outcome: "begun", detail: undefined },
    ]);
    await audit.end(key, { outcome: "done", subject: "j1", detail: "recvonly" });
    expect(await audit.find("T01", { limit: 10 })).toEqual([
      { ...begun, id: key.id, projectId: "demo", subject: "j1", outcome: "done", detail: "recvonly" },
    ]);
  });

  it("is read newest first, filtered and limited, and never beyond the workspace", async () => {
    const { audit } = await openLog();
    await audit.record(act({ subject: "1" }), { outcome: "done" });
    await audit.record(act({ subject: "2", userId: "U02", action: "token.request" }), { outcome: "lapsed" });
    await audit.record(act({ subject: "3", projectId: "other" }), { outcome: "refused" });
    await audit.record(act({ subject: "4", teamId: "T02" }), { outcome: "done" });
    const subjects = async (filter: Omit<Parameters<AuditLog["find"]>[1], "limit">, limit = 10) =>
      (await audit.find("T01", { ...filter, limit })).map(({ subject }) => subject);
    expect(await subjects({})).toEqual(["3", "2", "1"]);
    expect(await subjects({}, 2)).toEqual(["3", "2"]);
    expect(await subjects({ since: 2000 })).toEqual(["3", "2"]);
    expect(await subjects({ until: 2000 })).toEqual(["1"]);
    expect(await subjects({ userId: "U02" })).toEqual(["2"]);
    expect(await subjects({ action: "token.mint" })).toEqual(["3", "1"]);
    expect(await subjects({ projectId: "demo", action: "token.mint" })).toEqual(["1"]);
  });

  it("is kept for a year", async () => {
    const { database, audit } = await openLog();
    await audit.record(act(), { outcome: "done" });
    await sweepAll(database, 365 * DAY);
    expect(await audit.find("T01", { limit: 10 })).toHaveLength(1);
    await sweepAll(database, 367 * DAY);
    expect(await audit.find("T01", { limit: 10 })).toEqual([]);
  });
});
