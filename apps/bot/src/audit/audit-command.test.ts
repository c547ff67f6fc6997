import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buttonsOf, checkBlocks, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { type Stage, startStage } from "../test/stage.js";
import { pageOf } from "./audit-command.js";
import { type AuditEntry, AuditLog } from "./audit-log.js";

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

    const file = join(stage.folder, "policy.json");
    await writeFile(file, JSON.stringify({ act: { audit: [stage.bob.id] } }));
    const bot = await stage.startAnother({ BOT_TOKEN_POLICY: file });
    stage.slack.app.requestUrl = `${bot.url}/slack/events`;
    expect(textOf(await stage.ask(stage.bob, "/media audit"))).toContain("no entry matches");
    expect(textOf(await stage.ask(stage.ann, "/media audit"))).toBe(
      `You may not read the audit log. Ask @${stage.bob.id}.`,
    );
  });

  it("finds by person, action, project and time", async () => {
    const stage = await startStage();
    const { ann, bob } = stage;
    await stage.ask(bob, "/media token lobby");
    await stage.ask(ann, "/media token lobby");
    const count = async (filters: string): Promise<string> =>
      /\*Audit log:\* (.*)/.exec(textOf(await stage.ask(ann, `/media audit ${filters}`)))?.[1] ?? "";
    for (const all of ["", "action:token.mint", "in:demo since:1h"]) expect(await count(all), all).toBe("2 entries");
    for (const one of ["by:me", "by:@bob", `by:${bob.id}`]) expect(await count(one), one).toBe("1 entry");
    for (const no of ["action:token.revoke", "until:1h"]) expect(await count(no), no).toBe("no entry matches.");
    expect(textOf(await stage.ask(ann, "/media audit by:cli:ann@laptop"))).toContain("people of this workspace only");
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
    expect(buttonsOf(third).map(({ text }) => text)).toEqual(["JSON lines"]);

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
    expect(textOf(await stage.ask(stage.ann, "/media audit as:csv"))).toContain("1 entry is in your direct messages");
    const [file] = stage.ann.files();
    const [heading, line] = file?.content.split("\r\n") ?? [];
    expect(heading).toBe("\ufeffid,timestamp,user,action,outcome,project,subject,place,via,detail");
    expect(line).toContain(`,${stage.bob.id},token.mint,done,demo,s0,${stage.general.id},command,`);
    expect(line?.endsWith(`,"'=HYPERLINK(""x""),;'+so"`)).toBe(true);
  });
});

describe("a page of the audit log", () => {
  it.each([
    [[5, 4, 3], 3, [5, 4, 3]],
    [[5, 4, 3, 2], 3, [5, 4, 3]],
    [[5, 4, 3, 3], 3, [5, 4]],
    [[5, 4, 4, 4], 2, [5]],
    [[4, 4, 4, 4], 2, [4, 4]],
  ])("of %j with at most %i ends between two moments", (times, limit, page) => {
    expect(pageOf(times.map(entry), limit).map(({ at }) => at)).toEqual(page);
  });
});
