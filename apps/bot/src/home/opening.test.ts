import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkBlocks, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { Connections } from "../connections/connections.js";
import { always, startSilentService } from "../test/bad-service.js";
import { connectProject } from "../test/connect-project.js";
import { webhook } from "../test/entries.js";
import { homeOf, homesShown, wholeHomeOf } from "../test/home.js";
import { labelsOf, type Stage, startStage } from "../test/stage.js";

describe("the app's home, opened", () => {
  it("again is not replaced by what an earlier opening found", async () => {
    const entries: unknown[] = [];
    const { url, state, wake } = await startSilentService((request, response) =>
      always(200, request.url?.includes("list-webhook-logs") ? entries : [])(request, response),
    );
    const stage = await startStage({ media: { url } });
    const { slack, bob } = stage;
    await bob.openHome();
    await expect.poll(() => state.asked).toBeGreaterThan(0);
    state.isSilent = false;
    await bob.openHome();
    await slack.until(() => textOf(bob.home ?? []).includes("✓ ★ *demo*"));
    entries.push(webhook({ status: 503 }));
    wake();
    await stage.settled();
    expect(textOf(bob.home ?? [])).toContain("✓ ★ *demo*");
    expect(homesShown(stage)).toHaveLength(3);
  });

  it("by someone without permission offers neither to connect projects nor to change the default", async () => {
    const stage = await startStage();
    await connectProject(stage, "other", "In the whole workspace");
    const offered = labelsOf(await homeOf(stage, stage.ann));
    expect(offered).toEqual(expect.arrayContaining(["Connect a project", "Use everywhere"]));
    const allowed = labelsOf(await homeOf(stage, stage.bob));
    expect(allowed).toEqual(offered.filter((label) => label !== "Connect a project" && label !== "Use everywhere"));
    expect(allowed).toEqual(expect.arrayContaining(["Status", "Why", "Live", "Projects", "Query logs", "Watches"]));
  });

  it("by a guest that the policy names shows the projects, too", async () => {
    const stage = await startStage();
    const { slack, team, folder } = stage;
    const guest = team.addUser({ name: "guest", guest: "multi-channel" });
    const file = join(folder, "policy.json");
    await writeFile(file, JSON.stringify({ guests: [guest.id] }));
    slack.app.requestUrl = `${(await stage.startAnother({ BOT_TOKEN_POLICY: file })).url}/slack/events`;
    const home = await wholeHomeOf(stage, guest);
    expect(textOf(home)).toContain("✓ ★ *demo*");
    expect(labelsOf(home)).not.toContain("Connect a project");
  });

  it("has buttons that ask about one project", async () => {
    const stage = await startStage();
    const { slack, bob } = stage;
    await connectProject(stage, "other", "In the whole workspace");
    for (const [action, words] of [
      ["run:status-1", "demo at 127.0.0.1"],
      ["run:why-1", "project demo"],
      ["run:live-0", "project other"],
    ] as const) {
      await bob.press(await homeOf(stage, bob), action);
      await slack.until(() => textOf(bob.modal ?? []).includes(words));
      await bob.close();
    }
  });

  it("opens the window in which logs are queried", async () => {
    const stage = await startStage();
    const { slack, bob } = stage;
    await bob.press(await homeOf(stage, bob), "Query logs");
    await slack.until(() => bob.modal?.title === "Query logs" && bob.modal.submit);
  });

  it("shows the watches with their state, first those that fire and those that don't look", async () => {
    const stage = await startStage();
    const { slack, bob, general } = stage;
    const { query } = await stage.openStorage();
    const found = { began: Date.now(), count: 1, value: 1, worst: 1 };
    const watches = [
      watchRow(stage, "calm", "watch sessions in:demo"),
      { ...watchRow(stage, "paused", "watch api when:p95>2s in:demo"), paused: "The channel is archived." },
      watchRow(stage, "fires", "watch webhooks failed in:demo"),
      watchRow(stage, "blind", "watch events failed in:demo"),
      watchRow(stage, "over", "watch connections in:demo"),
    ];
    await query.insertInto("watch").values(watches).execute();
    const incidents = (
      [
        ["fires", found, 1],
        ["blind", { ...found, blindSince: Date.now() - 60_000 }, 1],
        ["over", { ...found, ended: Date.now() }, 0],
      ] as const
    ).map(([watch_id, incident, is_open]) => {
      const { team_id, place_id, project_id, kind } = watchRow(stage, watch_id, "");
      const where = { team_id, watch_id, place_id, project_id, kind };
      return { ...where, began_at: found.began, incident: JSON.stringify(incident), is_open };
    });
    await query.insertInto("watch_incident").values(incidents).execute();
    const home = await homeOf(stage, bob);
    const lines = textOf(home)
      .split("\n")
      .filter((line) => /^[▲?✓] |^Paused/.test(line));
    expect(lines).toEqual([
      "▲ *failed webhooks* · demo",
      "? *failed events* · demo",
      "? *API logs, p95 above 2 s* · demo",
      "Paused: The channel is archived.",
      "✓ *session logs* · demo",
      "✓ *connection logs* · demo",
    ]);
    expect(textOf(home)).toContain(`In #${general.id}`);
    await bob.press(home, "All watches");
    await slack.until(() => textOf(bob.modal ?? []).includes("5 watches"));
  });

  it("shows any number of projects, watches and questions within Slack's limits", async () => {
    const stage = await startStage();
    const { bob } = stage;
    await fill(stage);
    const home = await wholeHomeOf(stage, bob);
    expect(checkBlocks(home.blocks, "home")).toEqual({ ok: true });
    expect(home.blocks.length).toBeLessThanOrEqual(100);
    const text = textOf(home);
    expect(text.match(/no answer: the service was not reached/g)).toHaveLength(9);
    expect(text).toContain("✓ *demo*");
    expect(text).toContain("91 more are not shown");
    expect(text).toContain("490 more are not shown");
  });
});

/** A watch that no process runs, because its workspace isn't known to have any. */
const watchRow = ({ team, ann, general }: Stage, watch_id: string, command: string) => ({
  team_id: team.id,
  watch_id,
  project_id: "demo",
  kind: "webhooks",
  command,
  time_zone: "UTC",
  place_id: general.id,
  created_by: ann.id,
  created_at: Date.now(),
});

const MANY_WORDS = "x & <y> *z* `".repeat(20);

/** Adds a hundred projects, five hundred watches, and questions as long as a button allows. */
async function fill(stage: Stage): Promise<void> {
  const { openStorage, team, ann, bob } = stage;
  const storage = await openStorage();
  const connections = new Connections(storage, undefined, Date.now);
  for (let at = 0; at < 100; at++) {
    const projectId = `p${at}-${"q".repeat(55)}`;
    const to = { teamId: team.id, projectId, baseUrl: "http://127.0.0.1:1", userId: ann.id };
    await connections.add({ ...to, apiKey: "mo_0123" });
    if (at === 50) await connections.setDefault({ ...to, channelId: undefined });
  }
  const watches = Array.from({ length: 500 }, (_, at) => ({
    ...watchRow(stage, `w${at}`, `watch webhooks url~${JSON.stringify(MANY_WORDS)} in:p${at}`),
    paused: MANY_WORDS,
  }));
  await storage.query.insertInto("watch").values(watches).execute();
  const questions = Array.from({ length: 30 }, (_, at) => ({
    team_id: team.id,
    user_id: bob.id,
    command: `logs webhooks url~"${"y".repeat(1900)}${at}"`,
    asked_at: at,
  }));
  await storage.query.insertInto("question").values(questions).execute();
}
