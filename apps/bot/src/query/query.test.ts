import { buttonsOf, checkBlocks, type Person, type Place, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { failure, webhook } from "../test/entries.js";
import {
  connectProject,
  expectWords,
  labelsOf,
  roomsIn,
  type Stage,
  type StageOptions,
  startStage,
} from "../test/stage.js";
import { readQuery } from "./query.js";

async function startWithEntries(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage(options);
  await stage.service.add("webhooks", webhook({ status: 503 }), webhook(), webhook({ minutesAgo: 120, status: 503 }));
  await stage.service.add("events", failure());
  return stage;
}

const room = await roomsIn(startWithEntries);

/** Opens the form with the shortcut, in a conversation or in none. */
async function openForm({ form }: Stage, person: Person, place?: Place) {
  await person.shortcut("query_logs", place && { in: place });
  return form(person);
}

/** The window, once it shows the answer. */
const answered = ({ slack }: Stage, person: Person) =>
  slack.until(() => (person.modal && textOf(person.modal).includes("The same answer") ? person.modal : undefined));

describe("the form for logs", () => {
  it.each([
    [{ Log: "Webhook log" }, "2 webhooks in the last hour, project demo"],
    [{ Log: "Webhook log", "Which entries": "failed" }, "1 failed webhook of 2 in the last hour, project demo"],
    [{ Log: "Webhook log", Filters: "status:503", Period: "6h" }, "2 webhooks of 3 in the last 6 hours, status 503"],
    [{ Log: "Webhook log", Show: "summary", Filters: "by:status" }, "Summary of 2 webhooks in the last hour"],
    [{ Log: "Event log", Show: "why", Filters: "lobby" }, "Why connections failed in lobby in the last hour"],
  ])("shows in the window, and in the person's messages with buttons: %o", async (entries, words) => {
    const stage = room();
    const { slack, bob, ann, general } = stage;
    const form = await openForm(stage, bob);
    expect(checkBlocks(form.blocks, "modal")).toEqual({ ok: true });
    await bob.submit(entries);
    const shown = await answered(stage, bob);
    expectWords(shown, words, "is in the *Messages* tab of this app.");
    expect(checkBlocks(shown.blocks, "modal")).toEqual({ ok: true });
    expect(buttonsOf(shown)).toEqual([]);
    expect(stage.logged()).not.toContain("Slack refused the blocks");
    const message = await slack.until(() => bob.direct().at(-1));
    expect(textOf(message)).toContain(words);
    expect(labelsOf(message)).toContain("Refresh");
    expect(bob.sees(general)).toEqual([]);
    expect(ann.sees(general)).toEqual([]);
  });

  it("answers in the chosen conversation, where nobody else sees it and the bot need not be", async () => {
    const stage = room();
    const { ann, bob, general, random } = stage;
    await openForm(stage, bob, general);
    const own = await stage.next(bob, general, () => bob.submit({ Log: "webhooks" }));
    expect(own.isOnlyVisibleToYou).toBe(true);
    expect(textOf(await answered(stage, bob))).toContain(`is in #${general.id}, where only you see it`);
    await bob.close();
    await openForm(stage, bob, general);
    const other = await stage.next(bob, random, () => bob.submit({ Log: "webhooks", "Answer in": random.id }));
    expect(other.isOnlyVisibleToYou).toBe(true);
    expect(textOf(other)).toContain("2 webhooks in the last hour");
    expect([...ann.sees(general), ...ann.sees(random), ...bob.direct()]).toEqual([]);
  });

  it("asks for the project if there are several, and presets the one in use", async () => {
    const stage = await startWithEntries();
    const { slack, bob } = stage;
    await connectProject(stage, "other", "Only for commands that name it");
    await stage.ask(stage.ann, "/media use demo for:workspace");
    await openForm(stage, bob);
    await bob.submit({ Log: "webhooks" });
    await slack.until(() => textOf(bob.direct().at(-1) ?? []).includes("2 webhooks in the last hour, project demo"));
    await answered(stage, bob);
    await bob.close();
    await openForm(stage, bob);
    await bob.submit({ Log: "webhooks", Project: "other" });
    await slack.until(() => textOf(bob.direct().at(-1) ?? []).includes("project other"));
  });

  it("says what is wrong with a field, and the nearest right text", async () => {
    const stage = room();
    const { bob, service } = stage;
    await openForm(stage, bob);
    await bob.submit({ Log: "webhooks", Filters: "statsu>=500" });
    expect(bob.modal?.errors).toEqual({ filters: 'Unknown name "statsu". Did you mean status? Try: status>=500' });
    await bob.submit({ Log: "webhooks", Filters: service.apiKey });
    expect(bob.modal?.errors.filters).toContain("This contains a key or a token, so nothing was done with it.");
    expect(stage.logged()).not.toContain(service.apiKey);
    expect(bob.direct()).toEqual([]);
    await bob.submit({ Filters: "status>=500" });
    expect(textOf(await answered(stage, bob))).toContain("1 webhook of 2 in the last hour, status ≥ 500");
  });

  it("explains in the window why there is no answer", async () => {
    const stage = await startWithEntries();
    const { bob, service } = stage;
    await openForm(stage, bob);
    await service.stop();
    await bob.submit({ Log: "webhooks" });
    expect(textOf(await answered(stage, bob))).toContain("The service was not reached");
  });

  it("says who can connect a project if there is none", async () => {
    const { slack, bob } = await startStage({ media: "none" });
    await bob.shortcut("query_logs");
    await slack.until(() => textOf(bob.modal ?? []).includes("No project is connected yet."));
    expect(bob.modal?.submit).toBeUndefined();
  });
});

const now = Date.UTC(2026, 10, 21, 12);
const read = (values: Record<string, string>, kept = {}) =>
  readQuery({ values: { kind: "webhooks", since: "1h", what: "all", how: "logs", ...values }, kept }, now);

describe("the values of the form", () => {
  it.each([
    ["how", { how: "why" }, "Only events say why connections failed: choose their log"],
    ["what", { kind: "sessions", what: "failed" }, "Nothing fails in session logs"],
    ["filters", { filters: "since:2h" }, 'since is given twice: "since:1h" is one too many.'],
    ["filters", { filters: "by:url" }, "logs has no option by; summary, tokens and audit have it."],
    ["filters", { filters: "help" }, "These aren't filters."],
    ["filters", { kind: "events", how: "why", filters: "reason:ice-timeout" }, "why takes no filters"],
    ["filters", { kind: "token lobby" }, 'or events, not "token"'],
    ["filters", { kind: "" }, "logs needs a kind"],
  ])("are refused at the field %s: %o", (field, values, words) => {
    const { command, faults } = read(values);
    expect(command).toBeUndefined();
    expect(faults?.[field]).toContain(words);
  });

  it("are read in the person's time zone", () => {
    const { command } = read({ filters: "until:2026-11-21", since: "7d" }, { timeZone: "Asia/Tokyo" });
    expect(command?.until).toBe(Date.UTC(2026, 10, 20, 15));
  });

  it("may name another project among the filters", () => {
    expect(read({ project: "demo" }).command?.in).toBe("demo");
    expect(read({ project: "demo", filters: "in:other" }).command?.in).toBe("other");
  });
});
