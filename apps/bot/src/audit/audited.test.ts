import { type SeenMessage, textOf } from "@media-ops/fake-slack";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { always, startBadService } from "../test/bad-service.js";
import { connectProject } from "../test/connect-project.js";
import { type Stage, startStage } from "../test/stage.js";
import { AuditLog } from "./audit-log.js";

const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;

const auditOf = async ({ team, openStorage }: Stage) =>
  new AuditLog(await openStorage(), Date.now).find(team.id, { limit: 100 });

describe("the audit log of a token", () => {
  it("says who made it, how, where, and what it allows", async () => {
    const stage = await startStage();
    const { bob, general, random, team } = stage;
    const made = await stage.ask(bob, "/media token lobby for:5m");
    const [token = ""] = TOKEN.exec(textOf(made)) ?? [];
    await bob.shortcut("media_token");
    await stage.slack.until(() => bob.modal?.submit);
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

  it("has what the policy refused, with the reason", async () => {
    const stage = await startStage();
    await stage.ask(stage.bob, "/media token lobby for:1h");
    expect(await auditOf(stage)).toMatchObject([
      {
        ...{ action: "token.mint", userId: stage.bob.id, outcome: "refused", placeId: stage.general.id },
        detail: expect.stringMatching(
          /^You may make tokens with the role recvonly for up to 10 minutes, but not for 1 h/,
        ),
      },
    ]);
  });

  it("has what failed, but nothing that a service wrote", async () => {
    const stage = await startStage();
    const url = await startBadService(always(500, { title: "No", detail: `the key ${stage.service.apiKey}` }));
    const bad = await stage.startAnother({ MEDIA_BASE_URL: url });
    stage.slack.app.requestUrl = `${bad.url}/slack/events`;
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
