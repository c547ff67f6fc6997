import { checkBlocks, type SeenView, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { apiKeyToTokenKey, readUnverifiedToken, verifyToken } from "@media-ops/tokens";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roles } from "../policy/policy.js";
import type { SentForm } from "../request.js";
import { expectLife, startStage, tokenIn } from "../test/stage.js";
import { readDesired, writeDesired } from "./mint.js";
import { desiredIn, keepable, TOKEN_FORM, tokenFaults, tokenModal } from "./tokens.js";

const stage = await startStage({ atEnd: closeAfterAll() });

/** A person with an open token window. */
async function opened(name: string, { timeZone = "UTC", by = "/media token" } = {}) {
  const { person, place } = stage.newcomer(name, { timeZone });
  if (by.startsWith("/")) await person.command(by, { in: place });
  else await person.shortcut(by);
  const modal = await stage.slack.until(() => (person.modal?.callbackId === TOKEN_FORM ? person.modal : undefined));
  return { person, place, modal };
}

const optionsIn = ({ blocks }: SeenView, id: string): unknown[] => {
  const element: unknown = blocks.find(({ block_id }) => block_id === id)?.element;
  const options = typeof element === "object" && element !== null && "options" in element ? element.options : [];
  return Array.isArray(options) ? options.map(({ text, description }) => [text.text, description?.text]) : [];
};

describe("the token window", () => {
  it("offers what the person may create, and describes each field", async () => {
    const { modal } = await opened("abe", { timeZone: "Europe/Berlin" });
    expect(optionsIn(modal, "role")).toEqual([["recvonly: may only receive", "for up to 10 minutes"]]);
    expect(optionsIn(modal, "lifetime")).toEqual([
      ["5 minutes", undefined],
      ["10 minutes", undefined],
    ]);
    const words = textOf(modal);
    expect(words).toContain("For the project demo. The token is shown to you alone, once.");
    expect(words).toContain("The token is good for every channel of the project");
    expect(words).toContain("In your time zone, Europe/Berlin; at most 1 day ahead. Empty means now.");
    expect(words).toContain("Why you need it; the audit channel shows it.");
    expect(words).not.toContain("Project\n");
  });

  it("creates the token that it describes, and shows it in the conversation where it was opened", async () => {
    const { person, place } = await opened("bea");
    const start = Math.floor(Date.now() / 60_000) * 60 + 3600;
    const message = await stage.next(person, place, () =>
      person.submit({
        Channel: "lobby",
        Lifetime: "5 minutes",
        "Limit of connections": "7",
        Start: String(start),
        Reason: "demo for <Kim> & co",
      }),
    );
    expect(person.modal).toBeUndefined();
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(textOf(message)).toContain("Project demo · reason: demo for <Kim> & co");
    const key = apiKeyToTokenKey(stage.service.apiKey);
    const { claims } = await verifyToken(tokenIn(message), key, { now: (start + 1) * 1000 });
    expect(claims).toMatchObject({
      channel_id: "lobby@demo",
      role: "recvonly",
      max_channel_connections: 7,
      nbf: start,
      exp: start + 300,
    });
  });

  it("creates a token for ten minutes, and for every channel if the person confirms that", async () => {
    const { person, place } = await opened("cid");
    const message = await stage.next(person, place, () => person.submit({ "Every channel": "every" }));
    const { iat, exp, ...claims } = readUnverifiedToken(tokenIn(message)).claims;
    expect(claims).toEqual({ jti: expect.any(String), role: "recvonly" });
    expectLife({ iat, exp }, 600);
  });

  it("refuses a key in any field, without storing or repeating it", async () => {
    const { person, place } = await opened("kim");
    const { apiKey } = stage.service;
    await person.submit({ Channel: "lobby", Reason: `with ${apiKey}` });
    const words =
      "This contains a key or a token, so nothing was done with it. Remove it here, revoke it, and use a new one.";
    expect(person.modal?.errors).toEqual({ reason: words });
    await person.submit({ Channel: apiKey, Reason: "demo" });
    expect(person.modal?.errors).toEqual({ channel: words });
    await stage.settled();
    expect(person.sees(place)).toEqual([]);
    expect(
      await (await stage.openStorage()).query
        .selectFrom("minting")
        .selectAll()
        .where("user_id", "=", person.id)
        .execute(),
    ).toEqual([]);
    expect(stage.logged()).not.toContain(apiKey);
  });

  it("opens by a shortcut, too; then the token is sent to the direct conversation, and Hide deletes it", async () => {
    const { person, place } = await opened("fay", { by: "media_token" });
    await person.submit({ Channel: "lobby" });
    const message = await stage.slack.until(() => person.direct()[0]);
    expect(readUnverifiedToken(tokenIn(message)).claims.channel_id).toBe("lobby@demo");
    expect(person.sees(place)).toEqual([]);
    await person.press(message, "Hide");
    await stage.slack.until(() => person.direct().length === 0);
  });

  it("requires a project if there are several", async () => {
    const other = stage.service.project("other");
    await stage.addConnection("other", other);
    const { person, place, modal } = await opened("gus");
    expect(optionsIn(modal, "project")).toEqual([
      ["demo", undefined],
      ["other", undefined],
    ]);
    const message = await stage.next(person, place, () => person.submit({ Project: "other", Channel: "lobby" }));
    const key = apiKeyToTokenKey(other.apiKey);
    const { claims } = await verifyToken(tokenIn(message), key, { now: Date.now() });
    expect(claims.channel_id).toBe("lobby@other");
  });
});

it("accepts any project names, up to the maximum number", () => {
  const names = Array.from({ length: 300 }, (_, at) => `${at}-${"ü".repeat(at)}`);
  const allowed = Object.fromEntries(names.map((name) => [name, { recvonly: 600_000, any: 5_400_000 }]));
  const { blocks } = tokenModal({ allowed, project: "7-üüüüüüü", timeZone: "UTC", maxAheadMs: 0, keep: "{}" });
  expect(checkBlocks(blocks, "modal")).toEqual({ ok: true });
  expect(JSON.stringify(blocks)).toContain('"initial_option":{"text":{"type":"plain_text","text":"7-üüüüüüü"');
  expect(JSON.stringify(blocks)).not.toContain("datetimepicker");
});

const ms = fc.integer({ min: 1, max: 100_000 }).map((seconds) => seconds * 1000);
const lengths = fc.dictionary(fc.constantFrom(...roles), ms, { minKeys: 1 });
const command = fc.record(
  {
    name: fc.constant("token" as const),
    channel: fc.constantFrom("lobby", "main hall", "lobby@demo"),
    role: fc.constantFrom(...roles),
    forMs: ms,
    max: fc.integer({ min: 0, max: 5000 }),
    starting: fc.integer({ min: 1_000_000_000, max: 4_000_000_000 }).map((seconds) => seconds * 1000),
    in: fc.constantFrom("demo", "other"),
  },
  { requiredKeys: ["name"] },
);
const narrower = {
  any: roles,
  sendrecv: ["sendrecv", "sendonly", "recvonly"],
  sendonly: ["sendonly"],
  recvonly: ["recvonly"],
};

it("for any permissions and any request, the window is prefilled with no more than both allow, and Slack accepts it", () => {
  fc.assert(
    fc.property(
      lengths,
      command,
      fc.option(fc.string({ maxLength: 400 }), { nil: undefined }),
      (demo, asked, reason) => {
        const desired = readDesired(writeDesired({ command: asked, reason }), Date.now());
        expect(desired?.command).toEqual({
          ...asked,
          ...(asked.starting !== undefined && { starting: expect.any(Number) }),
        });
        const { blocks } = tokenModal({
          ...{ allowed: { demo }, project: asked.in, desired, timeZone: "UTC", maxAheadMs: 0, keep: "{}" },
        });
        expect(checkBlocks(blocks, "modal")).toEqual({ ok: true });
        const filled = (id: string, member: string): unknown => {
          const found = JSON.stringify(blocks.find((block) => "block_id" in block && block.block_id === id) ?? {});
          const { element }: { element?: Readonly<Record<string, unknown>> } = JSON.parse(found);
          const given = element?.[member];
          return typeof given === "object" && given !== null && "value" in given ? given.value : given;
        };
        expect(filled("channel", "initial_value")).toBe(asked.channel);
        expect(filled("every", "initial_options")).toBeUndefined();
        expect(filled("limit", "initial_value")).toBe(asked.max === undefined ? undefined : String(asked.max));
        expect(filled("unlimited", "initial_options")).toBeUndefined();
        const role = filled("role", "initial_option");
        if (role !== undefined) expect(narrower[asked.role ?? "recvonly"]).toContain(role);
        const lifetime = filled("lifetime", "initial_option");
        if (lifetime !== undefined) expect(Number(lifetime)).toBeLessThanOrEqual(asked.forMs ?? 600_000);
        if (asked.starting !== undefined) expect(filled("start", "initial_date_time")).toEqual(expect.any(Number));
      },
    ),
    { numRuns: 300 },
  );
});

const now = Date.UTC(2026, 10, 21, 12);
const seconds = now / 1000;
const kept = {
  allowed: { demo: { recvonly: 600_000, sendonly: 3_600_000 }, other: { recvonly: 600_000 } },
  maxAheadMs: 3_600_000,
};
const chosen = { project: "demo", channel: "lobby", role: "recvonly", lifetime: "600000" };

const sent = (values: SentForm["values"], window: SentForm["kept"] = kept): SentForm => ({
  values: { ...chosen, ...values },
  kept: window,
  viewId: "V1",
});

describe("the check of a submitted window", () => {
  it.each([
    ["valid input", {}, undefined],
    [
      "a role that the project does not allow",
      { project: "other", role: "sendonly" },
      { role: expect.stringContaining("other") },
    ],
    ["a time too long for the role", { lifetime: "3600000" }, { lifetime: "With this role, at most 10 minutes." }],
    ["a time that fits another role", { role: "sendonly", lifetime: "3600000" }, undefined],
    ["a limit of 0", { limit: "0" }, undefined],
    ["a limit that is high", { limit: "5000" }, undefined],
    ["a limit that is too high", { limit: "5001" }, { limit: "Enter a whole number from 0 to 5000." }],
    ["a limit that is not a number", { limit: "-1" }, { limit: "Enter a whole number from 0 to 5000." }],
    ["a start in the current minute", { start: String(seconds - 59) }, undefined],
    ["a start that has passed", { start: String(seconds - 60) }, { start: expect.stringContaining("has passed") }],
    ["a start in an hour", { start: String(seconds + 3600) }, undefined],
    ["a start beyond an hour", { start: String(seconds + 3601) }, { start: "At most 1 hour ahead." }],
    ["a channel with its project", { channel: "ann@home@demo" }, undefined],
    ["a channel of another project", { channel: "lobby@other" }, { channel: expect.stringContaining("other, and") }],
    ["a channel without its project", { channel: "lobby@" }, { channel: expect.stringContaining("such as lobby") }],
    ["a channel that is too long", { channel: "ü".repeat(126) }, { channel: expect.stringContaining("255 bytes") }],
    [
      "no channel",
      { channel: undefined },
      { channel: "Name a channel, such as lobby, or tick the box below for every channel." },
    ],
    ["every channel, confirmed", { channel: undefined, every: "every" }, undefined],
    ["a channel and every channel", { every: "every" }, { channel: "Fill this in or tick the box below, not both." }],
    ["a channel of the maximum length", { channel: "ü".repeat(125) }, undefined],
  ])("handles %s", (_, values, faults) => {
    expect(tokenFaults(sent(values), now)).toEqual(faults);
  });

  it("leaves faults to the creation of the token if the window could not keep the permissions", () => {
    const values = { lifetime: "999999999", start: String(seconds + 999_999) };
    expect(tokenFaults(sent({ ...values, project: undefined }, {}), now)).toBeUndefined();
    expect(
      tokenFaults(sent({ lifetime: "999999999" }, { allowed: "nonsense", maxAheadMs: "soon" }), now),
    ).toBeUndefined();
  });

  it("requires a limit if one was requested before, unless the person confirms that there is none", () => {
    const window = { ...kept, askedLimit: 3 };
    const limit = "You asked for a limit of 3. Enter a number, or tick the box below for no limit.";
    expect(tokenFaults(sent({}, window), now)).toEqual({ limit });
    expect(tokenFaults(sent({ unlimited: "unlimited" }, window), now)).toBeUndefined();
    expect(tokenFaults(sent({ limit: "5" }, window), now)).toBeUndefined();
    expect(tokenFaults(sent({ limit: "5", unlimited: "unlimited" }, window), now)).toHaveProperty("limit");
  });

  it("covers as many projects as a window can keep", () => {
    expect(keepable(kept)).toEqual(kept);
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`project-${at}`, { recvonly: 600_000 }]));
    expect(keepable({ allowed: many, maxAheadMs: 1 })).toEqual({ maxAheadMs: 1 });
  });
});

describe("the request of a submitted window", () => {
  it("has a command and a reason", () => {
    const values = { channel: "lobby", limit: "5", start: String(seconds), reason: "demo" };
    expect(desiredIn(sent(values))).toEqual({
      command: { name: "token", channel: "lobby", role: "recvonly", forMs: 600_000, max: 5, starting: now, in: "demo" },
      reason: "demo",
    });
  });

  it("has the id that was requested before", () => {
    expect(desiredIn(sent({}, { ...kept, id: "5f0c8a52" })).command.id).toBe("5f0c8a52");
  });

  it("is for the only project if there is no choice", () => {
    const only = { allowed: { demo: { recvonly: 600_000 } } };
    expect(desiredIn(sent({ project: undefined }, only)).command.in).toBe("demo");
    expect(desiredIn(sent({ project: undefined })).command).not.toHaveProperty("in");
  });
});
