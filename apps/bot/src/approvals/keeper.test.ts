import { buttonsOf, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { AuditLog } from "../audit/audit-log.js";
import { readConfig } from "../config.js";
import type { Access } from "../slack/access.js";
import { NotInstalledError } from "../slack/access.js";
import { startApprovalStage } from "../test/approvals.js";
import { oneWorkspace } from "../test/config.js";
import { openTestStorage } from "../test/storage.js";
import { keepRequests } from "./approvals.js";
import { type NewRequest, RequestStore } from "./request-store.js";

const MINUTE = 60_000;
let ahead = 0;
const stage = await startApprovalStage({ atEnd: closeAfterAll(), now: () => Date.now() + ahead });

const BEYOND = "/media token lobby role:sendrecv for:1h in:demo";

describe("a request whose bot stopped", () => {
  it("while its token was made ends without one, says so, and cannot be approved again", async () => {
    const asked = await stage.request(await stage.addRequester(), BEYOND);
    const begun = { state: "approving", decided_by: stage.cara.id, decided_at: Date.now() + ahead };
    await stage.query.updateTable("token_request").set(begun).where("state", "=", "pending").execute();
    await stage.restart();
    const before = await stage.made();
    ahead += 3 * MINUTE;
    await stage.running().watched();
    await stage.running().watched();
    expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("got no token. They can ask again.");
    expect(buttonsOf(stage.dan.messageAt(asked) ?? asked)).toEqual([]);
    await stage.forge(stage.ann, { channelId: asked.channelId, ts: asked.ts, action: "approve-token", value: "" });
    expect(await stage.made()).toBe(before);
  });

  it("before it stored where it was posted can be decided, and its message shows that", async () => {
    const asked = await stage.request(await stage.addRequester(), BEYOND);
    await stage.query.updateTable("token_request").set({ messages: null }).where("state", "=", "pending").execute();
    await stage.cara.press(asked, "Approve");
    await stage.done();
    expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("✓ Approved by");
  });
});

it("a decision that Slack did not show is shown later", async () => {
  const asked = await stage.request(await stage.addRequester(), BEYOND);
  stage.slack.fail("chat.update", { error: "ratelimited" });
  await stage.cara.press(asked, "Deny");
  await stage.done();
  expect(buttonsOf(stage.dan.messageAt(asked) ?? asked)).toHaveLength(2);
  ahead += MINUTE;
  await stage.running().watched();
  expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("✗ Denied by");
});

const requestIn = (teamId: string): NewRequest => ({
  served: { teamId, isOrgWide: false },
  userId: "U01",
  placeId: undefined,
  projectId: "demo",
  baseUrl: "https://media.example",
  channelId: undefined,
  role: "recvonly",
  lifetimeMs: MINUTE,
  startsAt: undefined,
  maxConnections: undefined,
  jti: undefined,
  reason: "a guest",
});

it("a request that cannot be ended, as while a PostgreSQL is down, does not keep those of other workspaces", async () => {
  const storage = await openTestStorage();
  let now = 1_000_000;
  const approvals = new RequestStore(storage, () => now);
  for (const teamId of ["T01", "T02"]) await approvals.add(requestIn(teamId));
  const log = pino({ level: "silent" });
  const access: Pick<Access, "authorize"> = {
    async authorize({ teamId = "" }) {
      if (teamId === "T01") throw new Error("a worker is down");
      throw new NotInstalledError(teamId);
    },
  };
  const config = readConfig(oneWorkspace);
  const keeper = keepRequests({ config, access, approvals, audit: new AuditLog(storage, () => now), log });
  onTestFinished(() => keeper.stop());
  now += 20 * MINUTE;
  await keeper.settled();
  now += MINUTE;
  expect((await approvals.unshown()).map(({ served }) => served.teamId)).toEqual(["T01"]);
});
