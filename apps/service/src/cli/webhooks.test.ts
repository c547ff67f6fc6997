import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { type Received, startReceiver } from "../test/receiver.js";
import { switchOff } from "../webhooks/webhooks.js";
import { withProjects } from "./test/command-line.js";

const SECRET = /whsec_[A-Za-z0-9+/=]{20,}/;
const HOUR_MS = 3_600_000;
const publicOnly = { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "false" };

/** The payload of a webhook, verified as a receiver does. */
function verified(received: Received | undefined, secret: string): unknown {
  if (!received) throw new Error("Nothing was received.");
  const headers = Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, String(value)]));
  return new Webhook(secret).verify(received.bytes, headers);
}

describe("a webhook address", () => {
  it("is set with a secret shown once, and keeps it when another address is set", async () => {
    const { json, run } = await withProjects(["demo"]);
    const first = await json("webhooks", "set", "demo", "event", "http://127.0.0.1:9/a");
    const secret = { signing_secret: expect.stringMatching(SECRET), warning: null };
    expect(first).toEqual({ project_id: "demo", kind: "event", url: "http://127.0.0.1:9/a", ...secret });
    const second = await run("webhooks", "set", "demo", "event", "http://127.0.0.1:9/b");
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(
      /^The event address of demo is now http:\/\/127.0.0.1:9\/b.\nIts signing secret is unchanged.*\n$/,
    );
    expect((await run("webhooks", "set", "demo", "session", "http://127.0.0.1:9/c")).stdout).toMatch(SECRET);

    const shown = await json("webhooks", "show", "demo");
    const on = { is_on: true, off_at: null, off_reason: null, old_secret_until: null };
    expect(shown).toEqual([
      { project_id: "demo", kind: "event", url: "http://127.0.0.1:9/b", set_at: expect.stringMatching(/Z$/), ...on },
      expect.objectContaining({ kind: "session", url: "http://127.0.0.1:9/c" }),
    ]);
    const { stdout } = await run("webhooks", "show", "demo");
    expect(stdout).toMatch(/^event +http:\/\/127.0.0.1:9\/b .* on +one secret$/m);
    expect(stdout + JSON.stringify(shown)).not.toMatch(SECRET);
  });

  it("that was switched off is shown with the reason, and setting it switches it on again", async () => {
    const { json, run, inDatabase } = await withProjects(["demo"]);
    const url = "http://127.0.0.1:9/a";
    await json("webhooks", "set", "demo", "auth", url);
    const [reason, off_at] = ["the receiver answered 410 Gone", "1970-01-01T00:00:00.000Z"];
    await inDatabase(({ query }) => switchOff(query, { projectId: "demo", kind: "auth", url, reason, now: 0 }));
    expect(await json("webhooks", "show", "demo")).toMatchObject([{ is_on: false, off_at, off_reason: reason }]);
    expect((await run("webhooks", "show", "demo")).stdout).toContain(`off since ${off_at}: ${reason}`);
    expect((await run("webhooks", "set", "demo", "auth", url)).stdout).toContain(
      `It was switched off because ${reason}, and is on again.`,
    );
    expect(await json("webhooks", "show", "demo")).toMatchObject([{ is_on: true, off_reason: null }]);
  });

  it("that is removed is gone, with one sentence on the consequences", async () => {
    const { json, run } = await withProjects(["demo"]);
    await json("webhooks", "set", "demo", "auth", "http://127.0.0.1:9/a");
    expect((await run("webhooks", "remove", "demo", "auth")).stdout).toBe(
      "Removed the auth address of demo. Clients are now admitted by their tokens alone.\n",
    );
    expect(await json("webhooks", "show", "demo")).toEqual([]);
    expect((await run("webhooks", "show", "demo")).stdout).toContain("media-ops webhooks set demo event <address>");
    for (const command of ["remove", "test", "rotate-secret"]) {
      expect(await run("webhooks", command, "demo", "auth")).toMatchObject({
        code: 1,
        stderr: "The project demo has no auth address. To set one: media-ops webhooks set demo auth <address>\n",
      });
    }
  });

  it("that is not allowed is refused, and not stored", async () => {
    const { json, run } = await withProjects(["demo"], publicOnly);
    for (const [url, message] of [
      ["ftp://example.com/", /must start with https:\/\/ or http:\/\//],
      ["https://user:planted@example.com/", /user name or a password/],
      ["http://127.0.0.1/hooks", /private.*MEDIA_ALLOW_PRIVATE_WEBHOOKS=true/],
      ["http://localhost/hooks", /private/],
    ] as const) {
      const refused = await run("webhooks", "set", "demo", "event", url);
      expect(refused).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
      expect(refused.stderr).not.toContain("planted");
    }
    expect(await json("webhooks", "show", "demo")).toEqual([]);
  });

  it("needs one of three kinds, and an existing project", async () => {
    const { run } = await withProjects(["demo"]);
    expect(await run("webhooks", "set", "demo", "evnet", "https://example.com/")).toMatchObject({
      code: 2,
      stderr: 'The kind of webhook must be auth, session or event, but is "evnet". Did you mean event?\n',
    });
    for (const args of [
      ["set", "nobody", "event", "https://example.com/"],
      ["show", "nobody"],
      ["test", "nobody", "event"],
    ]) {
      const stderr = expect.stringContaining("There is no project nobody");
      expect(await run("webhooks", ...args)).toMatchObject({ code: 1, stderr });
    }
  });
});

describe("a test message", () => {
  it("is signed so that a receiver can verify it, and appears in the webhook log", async () => {
    const { json, inDatabase } = await withProjects(["demo"]);
    const { url, received } = await startReceiver();
    const { signing_secret } = await json("webhooks", "set", "demo", "event", url);
    const tested = await json("webhooks", "test", "demo", "event");
    const answered = { id: expect.any(String), status: 200, elapsed_ms: expect.any(Number), fault: null, answer: "" };
    expect(tested).toEqual({ project_id: "demo", kind: "event", url, ...answered });
    expect(received).toHaveLength(1);
    expect(verified(received[0], signing_secret)).toEqual({
      type: "webhook.test",
      id: tested.id,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      project_id: "demo",
    });
    expect(received[0]?.headers["webhook-id"]).toBe(tested.id);
    expect(() => verified(received[0], `whsec_${Buffer.alloc(32).toString("base64")}`)).toThrow();

    const [logged] = await inDatabase(({ query }) =>
      query.selectFrom("log_entry").select(["project_id", "entry"]).execute(),
    );
    expect(logged?.project_id).toBe("demo");
    const about = { type: "webhook.test", url, status: 200, elapsed_time_ms: tested.elapsed_ms, event_id: tested.id };
    expect(JSON.parse(logged?.entry ?? "")).toEqual({ timestamp: expect.any(String), ...about });
  });

  it("that the receiver refuses exits with 1, and shows the receiver's answer", async () => {
    const { json, run, inDatabase } = await withProjects(["demo"]);
    const receiver = await startReceiver(() => ({ status: 400, body: 'no\u001b[2J such {"token": "planted"}' }));
    await json("webhooks", "set", "demo", "session", receiver.url);
    const failed = await run("webhooks", "test", "demo", "session");
    const refusal = /^http:\S+: status 400 after \d+ ms.\nThe receiver's answer: no\\u\{1b\}\[2J such /;
    expect(failed).toEqual({ code: 1, stdout: expect.stringMatching(refusal), stderr: "" });
    expect(failed.stdout).not.toContain("planted");
    receiver.answer = () => ({ status: 302, headers: { location: "https://example.com/" } });
    const redirected = expect.stringMatching(/status 302 .*\nRedirects are not followed/);
    expect(await run("webhooks", "test", "demo", "session")).toMatchObject({ code: 1, stdout: redirected });
    const logged = await inDatabase(({ query }) =>
      query.selectFrom("log_entry").select("entry").orderBy("at").execute(),
    );
    expect(logged.map(({ entry }) => JSON.parse(entry).status)).toEqual([400, 302]);
  });

  it("that cannot be sent explains why", async () => {
    const { json, run } = await withProjects(["demo"]);
    await json("webhooks", "set", "demo", "event", "http://127.0.0.1:9/");
    const { code, stdout } = await run("webhooks", "test", "demo", "event", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 0, fault: "the connection was refused" });
    expect((await run("webhooks", "test", "demo", "event")).stdout).toMatch(
      /: no answer after \d+ ms.\nError: the connection was refused.\n$/,
    );
  });

  it("is also sent to an address that is switched off, and mentions that", async () => {
    const { json, run, inDatabase } = await withProjects(["demo"]);
    const { url } = await startReceiver();
    await json("webhooks", "set", "demo", "event", url);
    await inDatabase(({ query }) =>
      switchOff(query, { projectId: "demo", kind: "event", url, reason: "it is gone", now: 0 }),
    );
    const stdout = /status 200 .*\nThe address is switched off because it is gone. Set it again to switch it on.\n/;
    const tested = await run("webhooks", "test", "demo", "event");
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(stdout) });
  });
});

describe("a rotation", () => {
  it("shows the new secret once, and both are valid for a day", async () => {
    const { json, run } = await withProjects(["demo"]);
    const { url, received } = await startReceiver();
    const { signing_secret: first } = await json("webhooks", "set", "demo", "event", url);
    const begun = Date.now();
    const rotated = await json("webhooks", "rotate-secret", "demo", "event");
    const secrets = { signing_secret: expect.stringMatching(SECRET), old_secret_until: expect.any(String) };
    expect(rotated).toEqual({ project_id: "demo", kind: "event", ...secrets });
    const { signing_secret: second, old_secret_until } = rotated;
    const untilMs = Date.parse(old_secret_until) - begun;
    expect(untilMs).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(untilMs).toBeLessThan(25 * HOUR_MS);
    expect(await json("webhooks", "show", "demo")).toMatchObject([{ old_secret_until }]);
    expect((await run("webhooks", "show", "demo")).stdout).toContain(`two secrets until ${old_secret_until}`);

    await json("webhooks", "test", "demo", "event");
    for (const secret of [first, second]) expect(verified(received[0], secret)).toMatchObject({ type: "webhook.test" });

    const { stdout } = await run("webhooks", "rotate-secret", "demo", "event");
    expect(stdout).toContain("The secret of the rotation before this one is no longer valid.");
    await json("webhooks", "test", "demo", "event");
    expect(verified(received[1], SECRET.exec(stdout)?.[0] ?? "")).toMatchObject({ type: "webhook.test" });
    expect(verified(received[1], second)).toMatchObject({ type: "webhook.test" });
    expect(() => verified(received[1], first)).toThrow();
  });
});
