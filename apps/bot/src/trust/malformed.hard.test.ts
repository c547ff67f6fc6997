import { closeAfterAll } from "@media-ops/testing/after-all";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandForm, home, mention, press, sendPayload, sendSigned, shortcut, submission } from "../test/requests.js";
import { startStage } from "../test/stage.js";

const stage = await startStage({ atEnd: closeAfterAll() });

const refusals = () => stage.logged().split("Refused a malformed request that Slack has signed").length - 1;

async function isAlive(): Promise<void> {
  await stage.settled();
  expect((await fetch(`${stage.bot.url}/healthz`)).status).toBe(200);
}

const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("a signed but malformed request is refused and logged, and the bot still answers:", () => {
  it.each<[string, string, type?: string]>([
    ["payload=null", "payload=null"],
    ["invalid JSON", "payload={"],
    ["an empty payload", "payload="],
    ["two payloads", "payload={}&payload={}"],
    ["an empty body", ""],
    ["the name of an inherited property", `payload=${JSON.stringify({ type: "__proto__" })}`],
    ["deeply nested JSON", `payload=${deep(200_000)}`],
    ["deeply nested JSON in a member", `payload={"type":"shortcut","user":${deep(200_000)}}`],
    ["a body of 3 MB", `payload=${"x".repeat(3_000_000)}`],
    ["JSON that is null", "null", "application/json"],
    ["an event that is null", '{"type":"event_callback","event":null}', "application/json"],
    ["a command of lists", "command=/media&command=/media&text=x"],
  ])("%s", async (_, body, type) => {
    const before = refusals();
    const response = await sendSigned(stage, body, type);
    expect(response.status).toBe(400);
    expect(await response.text()).toBe("");
    expect(refusals()).toBe(before + 1);
    await isAlive();
  });

  it("a body larger than any of Slack's, unread", async () => {
    expect((await sendSigned(stage, "x".repeat(5_000_000))).status).toBe(413);
    await isAlive();
  });
});

it("a window or a shortcut with the name of an inherited property does nothing", async () => {
  const { team, bob } = stage;
  const who = { team: { id: team.id }, user: { id: bob.id, team_id: team.id } };
  for (const name of ["constructor", "__proto__", "toString"]) {
    const sent = await sendPayload(stage, { ...submission, ...who, view: { ...submission.view, callback_id: name } });
    expect(await sent.text()).toContain("This window is from another version of the bot.");
    expect((await sendPayload(stage, { ...shortcut, ...who, callback_id: name })).status).toBe(200);
    const action = { type: "button", action_id: name, value: "x" };
    expect((await sendPayload(stage, { ...press, ...who, trigger_id: name, actions: [action] })).status).toBe(200);
  }
  await isAlive();
  expect(stage.logged()).not.toMatch(/"level":"(?:error|fatal)".*TypeError/);
});

/** The same value with one part replaced. */
function withAt(value: unknown, path: readonly number[], put: unknown): unknown {
  if (path.length === 0 || typeof value !== "object" || value === null) return put;
  const entries = Object.entries(value);
  const at = (path[0] ?? 0) % Math.max(1, entries.length);
  const changed = entries.map(([key, inner], index) => [key, index === at ? withAt(inner, path.slice(1), put) : inner]);
  if (Array.isArray(value)) return changed.map(([, inner]) => inner);
  // JSON drops undefined members.
  return Object.fromEntries(changed);
}

it("any signed request is answered with 200 or 400, and does not stop the bot", async () => {
  const { team, bob } = stage;
  const ids = { T1: team.id, U1: bob.id, C1: stage.general.id };
  const real = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body).replace(/"([TUC]1)"/g, (_, id: keyof typeof ids) => `"${ids[id]}"`));
  const junk = fc.oneof(
    fc.constantFrom<unknown>(undefined, null, 1, "", "x", [], {}, [null], { id: null }, { __proto__: null }, true),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const body = fc.constantFrom<unknown>(press, submission, shortcut, home, mention, commandForm).map(real);
  const request = fc.record({
    body: fc
      .tuple(body, fc.array(fc.nat(20), { maxLength: 6 }), junk)
      .map(([value, ...change]) => withAt(value, ...change)),
    form: fc.constantFrom("payload", "json", "fields"),
  });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(request, async ({ body: content, form }) => {
      const json = JSON.stringify(content) ?? "undefined";
      const members: [string, unknown][] =
        typeof content === "object" && content !== null ? Object.entries(content) : [["x", json]];
      const fields = members.map(([name, value]): [string, string] => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      const response =
        form === "fields"
          ? await sendSigned(stage, new URLSearchParams(fields).toString())
          : form === "json"
            ? await sendSigned(stage, json, "application/json")
            : await sendSigned(stage, new URLSearchParams({ payload: json }).toString());
      expect([200, 400], json).toContain(response.status);
      if (response.status === 200) taken += 1;
    }),
    { numRuns: 400 },
  );
  expect(taken).toBeGreaterThan(0);
  await isAlive();
  expect(stage.logged()).not.toContain("could not be handled");
});
