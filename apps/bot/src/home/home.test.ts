import { buttonsOf, checkBlocks, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { type Minting, Questions } from "../storage/records.js";
import { sweepAll } from "../storage/sweep.js";
import { created, failure, mintingOf, refusal, webhook } from "../test/entries.js";
import { always, startBadService, startPlainService, startSilentService } from "../test/services.js";
import {
  connectProject,
  expectWords,
  homeOf,
  homesShown,
  labelsOf,
  NOT_CONNECTED,
  roomsIn,
  type Stage,
  startStage,
  wholeHomeOf,
} from "../test/stage.js";
import { openTestStorage } from "../test/storage.js";
import { tokenLines } from "./home.js";

const room = await roomsIn(async (options) => {
  const stage = await startStage(options);
  await stage.service.add("webhooks", webhook({ status: 0 }), webhook({ status: 200 }), webhook({ status: 503 }));
  return stage;
});

const buttons: [label: string, ...words: string[]][] = [
  ["Why connections fail", "Why connections failed in the last hour, project demo", "Nothing failed"],
  ["Live now", "Live now, project demo", "Nobody is connected."],
  ["Failing webhooks", "2 failed webhooks of 3 in the last 2 hours, project demo"],
  ["Summary", "2 of 3 webhooks failed."],
  ["Status", "demo at 127.0.0.1", "Webhooks fail"],
  ["Projects", "★ *demo*", "One project is connected"],
  ["Help", "/media help"],
];

describe("the app's home", () => {
  it("shows the projects and the available actions", async () => {
    const stage = room();
    const home = await homeOf(stage, stage.bob);
    expect(checkBlocks(home.blocks, "home")).toEqual({ ok: true });
    const text = textOf(home);
    expect(text).toContain("★ *demo* · 127.0.0.1");
    expect(text).not.toContain("Ask again");
    expect(text).toContain("Or type it");
    expect(text).toContain("You have made none yet.");
  });

  it.each(buttons)(
    "answers %s in a window when pressed, and with buttons in the app's messages",
    async (label, ...words) => {
      const stage = room();
      const { slack, ann, bob } = stage;
      await ann.press(await homeOf(stage, ann), label);
      const modal = await slack.until(() =>
        ann.modal && textOf(ann.modal).includes("Messages") ? ann.modal : undefined,
      );
      expectWords(modal, ...words);
      expect(checkBlocks(modal.blocks, "modal")).toEqual({ ok: true });
      expect(buttonsOf(modal)).toEqual([]);
      const message = await slack.until(() => ann.direct().at(-1));
      expectWords(message, ...words);
      expect(buttonsOf(message).length).toBeGreaterThan(0);
      expect(bob.direct()).toEqual([]);
    },
  );

  it("explains in the window why there is no answer", async () => {
    const stage = await startStage();
    const { slack, bob, service } = stage;
    const home = await homeOf(stage, bob);
    await service.stop();
    await bob.press(home, "Failing webhooks");
    await slack.until(() => textOf(bob.modal ?? []).includes("The service was not reached"));
    expect(textOf(bob.direct().at(-1) ?? [])).toContain("The service was not reached");
  });

  it("lists the person's own latest tokens, without the tokens themselves", async () => {
    const stage = room();
    const { ann, bob } = stage;
    const minted = await stage.ask(bob, "/media token lobby for:5m");
    const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(textOf(minted))?.[0] ?? "";
    expect(token).not.toBe("");
    const home = await homeOf(stage, bob);
    expect(textOf(home)).toMatch(/Until 20\S+ · \*lobby\* of demo · recvonly/);
    expect(JSON.stringify(home)).not.toContain(token);
    expect(textOf(await homeOf(stage, ann))).toContain("You have made none yet.");
  });

  it("shows a project as soon as it is connected from there", async () => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { slack, ann, bob, service } = stage;
    expect(textOf(await homeOf(stage, bob))).toContain("Ask an admin of this workspace to type `/media connect`.");
    await ann.press(await homeOf(stage, ann), "Connect a project");
    await stage.form(ann);
    await ann.submit({ Address: service.url, Project: "demo", "API key": service.apiKey });
    await slack.until(() => textOf(ann.home ?? []).includes("★ *demo*"));
  });

  it("shows at once a change of the default project", async () => {
    const stage = await startStage();
    const { slack, ann } = stage;
    await stage.connectDemo(ann, stage.general, "other");
    await ann.press(await homeOf(stage, ann), "use-everywhere:1");
    await slack.until(() => textOf(ann.home ?? []).includes("★ *other*"));
    expect(ann.direct()).toEqual([]);
  });
});

const now = Date.UTC(2026, 10, 21, 14);
const linesOf = (more: Partial<Minting>): string => JSON.stringify(tokenLines([mintingOf(more)], now));

describe("the line of a token", () => {
  it.each([
    ["for every channel and role", {}, "Without end · every channel of demo · any role"],
    ["of a channel", { channel_id: "main@hall@demo", role: "sendonly" }, "*main@hall* of demo · sendonly"],
    ["that is valid", { ends_at: now + 60_000 }, "Until <!date^1795269660^"],
    ["that has expired", { ends_at: now }, "Ended <!date^1795269600^"],
    ["that is not valid yet", { starts_at: now + 60_000, ends_at: now + 120_000 }, "From <!date^1795269660^"],
    ["that will be valid without end", { starts_at: now + 60_000 }, "|2026-11-21T14:01:00Z> on · every"],
    ["with a name that looks like markup", { channel_id: "<!here>*x*@demo" }, "*&lt;!here&gt;∗x∗* of demo"],
  ])("says what it allows, and when it is valid: one %s", (_, more, words) => {
    expect(linesOf(more)).toContain(words);
  });

  it("stays one line, and within Slack's limits, for names of any length", () => {
    const blocks = tokenLines(
      Array.from({ length: 5 }, () => mintingOf({ channel_id: "a\n".repeat(500) })),
      now,
    );
    expect(checkBlocks(blocks, "home")).toEqual({ ok: true });
    expect(JSON.stringify(blocks).match(/\\n/g)).toHaveLength(4);
  });
});

describe("a bare /media", () => {
  it("introduces the app, names the current project, and suggests commands", async () => {
    const stage = room();
    const start = await stage.ask(stage.bob, "/media");
    expect(start.isOnlyVisibleToYou).toBe(true);
    expectWords(start, "without leaving the conversation", "★ *demo* is used in this channel · 127.0.0.1");
    for (const command of ["why lobby since:20m", "trace lobby", "token lobby for:10m"]) {
      expect(textOf(start)).toContain(`\`/media ${command}\``);
    }
  });

  it.each(buttons)("has a working button %s", async (label, ...words) => {
    const stage = room();
    const { bob, random } = stage;
    const start = await stage.ask(bob, "/media", random);
    const answer = await stage.next(bob, random, () => bob.press(start, label));
    expect(answer.ts).toBe(start.ts);
    expectWords(answer, ...words);
  });

  it("has a button that opens the token window", async () => {
    const stage = room();
    const { bob, random } = stage;
    const start = await stage.ask(bob, "/media", random);
    expect(labelsOf(start)).toContain("Make a token");
    await bob.press(start, "Make a token");
    await stage.form(bob);
  });
});

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
    const guest = stage.team.addUser({ name: "guest", guest: "multi-channel" });
    await stage.replaceBot({ guests: [guest.id] });
    const home = await wholeHomeOf(stage, guest);
    expect(textOf(home)).toContain("✓ ★ *demo*");
    expect(labelsOf(home)).not.toContain("Connect a project");
  });

  it("has buttons that ask about one project, and one that opens the form for logs", async () => {
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
  const { team, bob } = stage;
  const storage = await stage.openStorage();
  for (let at = 0; at < 100; at++) {
    await stage.addConnection(`p${at}-${"q".repeat(55)}`, { baseUrl: "http://127.0.0.1:1", isDefault: at === 50 });
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

/** The texts of the buttons that ask again. */
async function recentOf(stage: Stage, person = stage.bob): Promise<string[]> {
  await stage.settled();
  return buttonsOf(await homeOf(stage, person)).flatMap(({ actionId, value }) =>
    actionId.startsWith("run:recent-") ? [value ?? ""] : [],
  );
}

const quietRoom = await roomsIn(startStage);

describe("what a person asked recently", () => {
  it("is asked again by a button, about a period that ends now", async () => {
    const clock = { skippedMs: 0 };
    const stage = await startStage({ now: () => Date.now() + clock.skippedMs });
    const { slack, bob, service } = stage;
    await service.add("webhooks", webhook(), webhook({ status: 503 }));
    expect(await stage.read(bob, "/media  logs   webhooks failed\tsince:2h ")).toContain("1 failed webhook of 2");
    expect(await recentOf(stage)).toEqual(["logs webhooks failed since:2h"]);
    clock.skippedMs = 3 * 60 * 60_000;
    await bob.press(await homeOf(stage, bob), "logs webhooks failed since:2h");
    await slack.until(() => textOf(bob.modal ?? []).includes("0 failed webhooks"));
    expect(textOf(bob.modal ?? [])).toContain("in the last 2 hours");
  });

  it("may have been asked in the form for logs", async () => {
    const stage = quietRoom();
    const { bob } = stage;
    await bob.shortcut("query_logs");
    await stage.form(bob);
    await bob.submit({ Log: "webhooks", "Which entries": "failed", Period: "6h", Filters: "status:5xx" });
    expect(await recentOf(stage)).toEqual(["logs webhooks failed status:5xx since:6h"]);
  });

  it("is listed once each, the latest five first, for that person only", async () => {
    const stage = quietRoom();
    const { ann, bob } = stage;
    for (const text of ["status", "why", "live", "summary webhooks", "trace lobby", "logs api", "why"]) {
      await stage.ask(bob, `/media ${text}`);
      await stage.settled();
    }
    expect(await recentOf(stage)).toEqual(["why", "logs api", "trace lobby", "summary webhooks", "live"]);
    expect(await recentOf(stage, ann)).toEqual([]);
    expect(textOf(await homeOf(stage, ann))).not.toContain("Ask again");
  });

  it("is only what was typed, was understood, and reads from a project", async () => {
    const stage = quietRoom();
    const { bob } = stage;
    const others = "|help|projects|watches|use demo|digest|logs wehbooks|token lobby|nonsense".split("|");
    for (const text of others) await stage.ask(bob, `/media ${text}`);
    const start = await stage.ask(bob, "/media");
    await stage.press(start, "Live now", bob);
    expect(await recentOf(stage)).toEqual([]);
  });

  it("includes what was asked with a mention, and keeps the spaces that were typed", async () => {
    const stage = quietRoom();
    const { slack, team, bob, general } = stage;
    await stage.ask(bob, '/media logs  webhooks url~"a  b"', stage.random);
    team.inviteBot(general);
    await bob.says(`${team.botMention} why lobby since:20m`, { in: general });
    await slack.until(() => bob.sees(general).find(({ from }) => from === "bot"));
    expect(await recentOf(stage)).toEqual(["why lobby since:20m", 'logs  webhooks url~"a  b"']);
  });

  it("never includes a key, even if that is all that is wrong with it", async () => {
    const stage = await startStage();
    const { apiKey } = stage.service;
    await stage.ask(stage.bob, `/media logs webhooks url~${apiKey}`);
    expect(await recentOf(stage)).toEqual([]);
    const stored = await stage.stored();
    expect(stored).not.toContain(apiKey);
    expect(stored).not.toContain("logs webhooks");
  });

  it("is asked again about the project of the conversation", async () => {
    const stage = await startStage();
    const { slack, bob } = stage;
    await connectProject(stage, "other", "In the whole workspace");
    await stage.ask(bob, "/media use demo");
    await stage.ask(bob, "/media live");
    await stage.ask(bob, "/media why in:other");
    expect([...(await recentOf(stage))].sort()).toEqual(["live in:demo", "why in:other"]);
    await bob.press(await homeOf(stage, bob), "live in:demo");
    await slack.until(() => textOf(bob.modal ?? []).includes("project demo"));
  });
});

it("keeps the latest 20 questions of each person, for 30 days", async () => {
  const DAY = 24 * 60 * 60_000;
  const storage = await openTestStorage();
  let now = 100 * DAY;
  const questions = new Questions(storage, () => now);
  await questions.add("T1", "U2", "why");
  for (let at = 1; at <= 25; at++) {
    now += 1;
    await questions.add("T1", "U1", `why lobby-${at}`);
  }
  const all = await questions.latest("T1", "U1", 100);
  expect(all).toHaveLength(20);
  expect([all[0], all[19]]).toEqual(["why lobby-25", "why lobby-6"]);
  now += DAY;
  await questions.add("T1", "U1", "why lobby-6");
  await sweepAll(storage.database, now + 29 * DAY);
  expect(await questions.latest("T1", "U1", 100)).toEqual(["why lobby-6"]);
  expect(await questions.latest("T1", "U2", 100)).toEqual([]);
});

/** The line of the only project. */
async function healthIn(stage: Stage): Promise<string> {
  const home = await wholeHomeOf(stage, stage.bob);
  expect(checkBlocks(home.blocks, "home")).toEqual({ ok: true });
  const [, line = "none"] = /(. ★ \*demo\* · \S+\n.*)/.exec(textOf(home)) ?? [];
  return line;
}

describe("the health of projects in the app's home", () => {
  it("shows at once what is known while a service is silent, and never that it is fine", async () => {
    const { url, state } = await startSilentService();
    const stage = await startStage({ media: { url }, serviceTimeoutMs: 700 });
    const { slack, bob } = stage;
    const text = textOf(await homeOf(stage, bob));
    expect(text).toMatch(/★ \*demo\* · \S+\nchecking…/);
    expect(text).toContain("[Live]");
    expect(text).toContain("Nothing is watched yet.");
    expect(text).toContain("You have made none yet.");
    await slack.until(() => textOf(bob.home ?? []).includes("? ★ *demo*"));
    expect(textOf(bob.home ?? [])).toMatch(/\? ★ \*demo\* · \S+\nno answer in time/);
    // No further log is asked for.
    expect(state.asked).toBe(1);
    expect(homesShown(stage).join()).not.toContain("✓");
    expect(homesShown(stage)).toHaveLength(2);
  });

  it("shows that nothing failed only after the service has said so", async () => {
    const stage = await startStage();
    const { service } = stage;
    await service.add("webhooks", webhook(), webhook(), webhook({ status: 503, minutesAgo: 90 }));
    await service.add("events", created(), refusal());
    expect(await healthIn(stage)).toMatch(
      /^✓ ★ .*\nanswers in \d+(\.\d+)? ms; nothing failed in the last hour \(2 webhooks\)$/,
    );
    const [first = "", second = ""] = homesShown(stage);
    expect(first).not.toContain("✓");
    expect(first).not.toContain("Looked at");
    expect(second).toMatch(/Looked at .*\. Opening this tab looks again\./);
  });

  it("shows what failed in the last hour, anew whenever it is opened", async () => {
    const stage = await startStage();
    const { service } = stage;
    expect(await healthIn(stage)).toMatch(/^✓ .*\n.*; nothing failed in the last hour$/);
    await service.add("webhooks", webhook({ status: 503 }));
    expect(await healthIn(stage)).toMatch(/^▲ .*\n.*; 1 of 1 webhook failed in the last hour$/);
    await service.add("webhooks", webhook(), webhook({ status: 0 }));
    await service.add("events", failure(), failure({ minutesAgo: 2 }), failure({ minutesAgo: 70 }));
    expect(await healthIn(stage)).toMatch(/^▲ .*\n.*; 2 of 3 webhooks and 2 connections failed in the last hour$/);
  });

  it("says of a project that gives no answer why, and shows the others", async () => {
    const stage = await startStage({ env: { MEDIA_API_KEY: "mo_0123456789abcdef_of_nobody_at_all_is_this_key" } });
    await connectProject(stage, "other", "In the whole workspace");
    const text = textOf(await wholeHomeOf(stage, stage.bob));
    expect(text).toMatch(/✓ ★ \*other\* · \S+\nanswers in/);
    expect(text).toMatch(/\? \*demo\* · \S+\nno answer: the key was refused/);
  });

  it.each<[what: string, answer: Parameters<typeof startBadService>[0] | undefined, line: RegExp]>([
    [
      "what is wrong with an address where no service is",
      always(404, { type: "about:blank", title: "None", status: 404 }),
      /^\? .*\nno answer: what is at this address isn't a media service$/,
    ],
    ["that a service failed", always(500, "broken"), /^\? .*\nno answer: the service failed$/],
    ["that a service was not reached", undefined, /^\? .*\nno answer: the service was not reached$/],
    [
      "no all-clear if one log gave no answer",
      (request, response) => {
        const isFailing = request.url?.includes("list-webhook-logs");
        always(isFailing ? 500 : 200, isFailing ? "broken" : [])(request, response);
      },
      /^\? .*; nothing failed in what was searched of the last hour; no answer for webhooks$/s,
    ],
  ])("says %s", async (_, answer, line) => {
    const url = answer ? await startBadService(answer) : "http://127.0.0.1:1";
    expect(await healthIn(await startStage({ media: { url } }))).toMatch(line);
  });

  it.each([
    [200, /^\? .*; nothing failed in what was searched of the last hour$/s],
    [503, /^▲ .*; at least 1,000 of at least 1,000 webhooks failed in the last hour$/s],
  ])("gives no all-clear if a service lists only a part of the hour, all with %i", async (status, words) => {
    const plain = await startPlainService();
    plain.add("webhooks", ...Array.from({ length: 1001 }, () => webhook({ status })));
    expect(await healthIn(await startStage({ media: plain }))).toMatch(words);
  });
});
