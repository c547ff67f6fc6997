import { checkBlocks, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sweepAll } from "../storage/sweep.js";
import { always, startBadService } from "../test/services.js";
import { connectProject, labelsOf, type Stage, startStage, TOKEN } from "../test/stage.js";
import { openTestStorage } from "../test/storage.js";
import { pageOf } from "./audit-command.js";
import { type AuditEntry, AuditLog, type NewAudit } from "./audit-log.js";

const entry = (at: number): AuditEntry => ({
  ...{ id: String(at), teamId: "T01", at, userId: "U01", action: "token.mint", outcome: "done" },
  ...{ placeId: "C01", via: "command", projectId: "demo", subject: undefined, detail: undefined },
});

/** Records acts of one person, a second apart, the last one now. */
async function record(stage: Stage, count: number, more: Partial<AuditEntry> = {}): Promise<void> {
  const storage = await stage.openStorage();
  let now = Date.now() - count * 1000;
  const log = new AuditLog(storage, () => (now += 1000));
  const act = { teamId: stage.team.id, userId: stage.bob.id, placeId: stage.general.id, projectId: "demo" };
  for (let at = 0; at < count; at++) {
    const detail = more.detail ?? "d".repeat(500);
    await log.record({ ...act, subject: `s${at}`, action: "token.mint", via: "command" }, { outcome: "done", detail });
  }
}

describe("/media audit", () => {
  it("shows an admin who did what, where and how, and only to them", async () => {
    const stage = await startStage();
    await stage.ask(stage.bob, "/media token lobby for:1h");
    const message = await stage.ask(stage.ann, "/media audit");
    expect(message.isOnlyVisibleToYou).toBe(true);
    const words = textOf(message);
    expect(words).toContain("*Audit log:* 1 entry");
    expect(words).toContain(`@${stage.bob.id} · *token.mint* · refused · demo · in #${stage.general.id} · by command`);
    expect(words).toContain("You may make tokens with the role recvonly for up to 10 minutes, but not for 1 hour.");

    stage.team.inviteBot(stage.random);
    await stage.ann.says(`${stage.team.botMention} audit`, { in: stage.random });
    await stage.slack.until(() => stage.ann.sees(stage.random).length > 1);
    expect(stage.ann.sees(stage.random).at(-1)?.isOnlyVisibleToYou).toBe(true);
    expect(stage.bob.sees(stage.random)).toHaveLength(1);
  });

  it("is not for members, unless the policy names them", async () => {
    const stage = await startStage();
    const refused = await stage.ask(stage.bob, "/media audit");
    expect(textOf(refused)).toBe("You may not read the audit log. Ask an admin of this workspace.");

    await stage.replaceBot({ act: { audit: [stage.bob.id] } });
    expect(await stage.read(stage.bob, "/media audit")).toContain("no entry matches");
    expect(await stage.read(stage.ann, "/media audit")).toBe(`You may not read the audit log. Ask @${stage.bob.id}.`);
  });

  it("finds by person, action, project and time", async () => {
    const stage = await startStage();
    const { ann, bob } = stage;
    await stage.ask(bob, "/media token lobby");
    await stage.ask(ann, "/media token lobby");
    const count = async (filters: string): Promise<string> =>
      /\*Audit log:\* (.*)/.exec(await stage.read(ann, `/media audit ${filters}`))?.[1] ?? "";
    for (const all of ["", "action:token.mint", "in:demo since:1h"]) expect(await count(all), all).toBe("2 entries");
    for (const one of ["by:me", "by:@bob", `by:${bob.id}`]) expect(await count(one), one).toBe("1 entry");
    for (const no of ["action:token.revoke", "until:1h"]) expect(await count(no), no).toBe("no entry matches.");
    expect(await stage.read(ann, "/media audit by:cli:ann@laptop")).toContain("people of this workspace only");
  });

  it("has pages, and a file with one entry per line that only the person gets", async () => {
    const stage = await startStage();
    await record(stage, 45);
    const first = await stage.ask(stage.ann, "/media audit");
    expect(checkBlocks([...first.blocks], "message")).toEqual({ ok: true });
    expect(textOf(first)).toContain("*Audit log:* the newest 20 entries");
    const second = await stage.next(stage.ann, stage.general, () => stage.ann.press(first, "Older"));
    const third = await stage.next(stage.ann, stage.general, () => stage.ann.press(second, "Older"));
    expect(textOf(third)).toContain("*Audit log:* 5 entries");
    expect(labelsOf(third)).toEqual(["JSON lines"]);

    const said = await stage.ask(stage.ann, "/media audit as:json");
    expect(textOf(said)).toMatch(/^The file audit-[\dT-]+Z\.jsonl with 45 entries is in your direct messages/);
    const [file] = stage.ann.files();
    const lines = (file?.content.trim().split("\n") ?? []).map((line) => JSON.parse(line));
    expect(lines.map(({ subject }) => subject)).toEqual(Array.from({ length: 45 }, (_, at) => `s${44 - at}`));
    expect(lines[0]).toEqual({
      ...{ id: expect.any(String), timestamp: expect.stringMatching(/Z$/), user: stage.bob.id, action: "token.mint" },
      ...{ outcome: "done", project: "demo", subject: "s44", place: stage.general.id, via: "command" },
      detail: "d".repeat(500),
    });
    expect(stage.bob.files()).toEqual([]);
  });

  it("has a file for spreadsheets, in which no text is a formula", async () => {
    const stage = await startStage();
    await record(stage, 1, { detail: '=HYPERLINK("x"),;+so' });
    expect(await stage.read(stage.ann, "/media audit as:csv")).toContain("1 entry is in your direct messages");
    const [file] = stage.ann.files();
    const [heading, line] = file?.content.split("\r\n") ?? [];
    expect(heading).toBe("\ufeffid,timestamp,user,action,outcome,project,subject,place,via,detail");
    expect(line).toContain(`,${stage.bob.id},token.mint,done,demo,s0,${stage.general.id},command,`);
    expect(line?.endsWith(`,"'=HYPERLINK(""x""),;'+so"`)).toBe(true);
  });
});

it.each([
  [[5, 4, 3], 3, [5, 4, 3]],
  [[5, 4, 3, 2], 3, [5, 4, 3]],
  [[5, 4, 3, 3], 3, [5, 4]],
  [[5, 4, 4, 4], 2, [5]],
  [[4, 4, 4, 4], 2, [4, 4]],
])("a page of the audit log of %j with at most %i ends between two moments", (times, limit, page) => {
  expect(pageOf(times.map(entry), limit).map(({ at }) => at)).toEqual(page);
});

const auditOf = async ({ team, openStorage }: Stage) =>
  new AuditLog(await openStorage(), Date.now).find(team.id, { limit: 100 });

describe("the audit log of a token", () => {
  it("says who made it, how, where, and what it allows", async () => {
    const stage = await startStage();
    const { bob, general, random, team } = stage;
    const made = await stage.ask(bob, "/media token lobby for:5m");
    const [token = ""] = TOKEN.exec(textOf(made)) ?? [];
    await bob.shortcut("media_token");
    await stage.form(bob);
    await bob.submit({ Channel: "lobby", Reason: "a rehearsal" });
    await stage.slack.until(() => bob.direct().length > 0);
    team.inviteBot(random);
    await bob.says(`${team.botMention} token lobby`, { in: random });
    await stage.slack.until(() => bob.sees(random).length > 1);
    await stage.settled();

    const shared = { action: "token.mint", userId: bob.id, projectId: "demo", outcome: "done" };
    const detail = expect.stringMatching(/^recvonly, lobby@demo, until 20[\d-]{8}T[\d:.]+Z$/);
    expect(await auditOf(stage)).toMatchObject([
      { ...shared, via: "mention", placeId: random.id, detail },
      { ...shared, via: "window", placeId: undefined, detail: expect.stringMatching(/, reason: a rehearsal$/) },
      { ...shared, via: "command", placeId: general.id, detail, subject: expect.stringMatching(/^[\da-f-]{36}$/) },
    ]);
    expect(JSON.stringify(await auditOf(stage))).not.toContain(token);
  });

  it("has what failed, but nothing that a service wrote", async () => {
    const stage = await startStage();
    const url = await startBadService(always(500, { title: "No", detail: `the key ${stage.service.apiKey}` }));
    await stage.replaceBot(undefined, { MEDIA_BASE_URL: url });
    await stage.ask(stage.bob, "/media token lobby");
    const [record] = await auditOf(stage);
    expect(record).toMatchObject({ outcome: "failed", subject: expect.stringMatching(/^[\da-f-]{36}$/) });
    expect(record?.detail).toMatch(/^Media\w+Error$/);
  });

  it("must take the intent, or no token is made", async () => {
    const stage = await startStage();
    const { query } = await stage.openStorage();
    await sql`alter table audit rename to away`.execute(query);
    const message: SeenMessage = await stage.ask(stage.bob, "/media token lobby");
    expect(textOf(message)).toContain("Something went wrong here");
    expect(await query.selectFrom("minting").selectAll().execute()).toEqual([]);
    await sql`alter table away rename to audit`.execute(query);
  });
});

it("the audit log says who connected a project, and who disconnected it", async () => {
  const stage = await startStage({ env: { BOT_AUDIT_CHANNEL: "C0" } });
  const { ann, general } = stage;
  await connectProject(stage, "other", "Only for commands that name it");
  const question = await stage.ask(ann, "/media forget other");
  await stage.next(ann, general, () => ann.press(question, "Remove other"));
  const shared = { userId: ann.id, projectId: "other", outcome: "done" };
  expect(await auditOf(stage)).toMatchObject([
    { ...shared, action: "project.disconnect", via: "button", placeId: general.id },
    { ...shared, action: "project.connect", via: "window", placeId: general.id },
  ]);
  expect(JSON.stringify(await auditOf(stage))).not.toContain(stage.service.project("other").apiKey);
});

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

describe("the store of the audit log", () => {
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
