import { closeAfterAll } from "@media-ops/testing/after-all";
import { freePort } from "@media-ops/testing/servers";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type RunningService,
  startAnswering,
  startFakeService,
  startPlainService,
  startRunningService,
} from "./test/services.js";
import { errOf, newUser } from "./test/user.js";

let service: RunningService;
const atEnd = closeAfterAll();
beforeAll(async () => {
  service = await startRunningService(atEnd);
});

describe("a failed command", () => {
  it("reports a rejected key, with the next step, without showing it", async () => {
    const { url } = service;
    const apiKey = `mo_0123456789abcdef_${"x".repeat(43)}`;
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: apiKey });
    const err = await errOf(user.media(["logs", "webhooks"]));
    expect(err).toContain("✗ The API key was refused.");
    expect(err).toContain("Set MEDIA_API_KEY to a valid key");
    expect(err).not.toContain("x".repeat(10));
  });

  it("reports the address of an unreachable service", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    const err = await errOf(user.media(["logs", "webhooks"]));
    expect(err).toContain("✗ The service was not reached.");
    expect(err).toContain(url);
    expect(err).toContain("ECONNREFUSED");
  });

  it("reports a server that is not a media service", async () => {
    const url = await startAnswering((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<p>hi");
    });
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    const { code, err } = await user.media(["status"]);
    expect(code).toBe(1);
    expect(err).toContain("✗ The answer did not come from a media service.");
  });

  it("reports a key of another project", async () => {
    const { url, apiKey } = service;
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: apiKey });
    const { code, err } = await user.media(["logs", "webhooks", "in:other"]);
    expect(code).toBe(1);
    expect(err).toContain("✗ This belongs to another project.");
    expect(err).toContain("Omit in:<project>");
  });

  it.each([
    [["logs", "webhooks", "staus>=400"], "Try: media logs webhooks 'status>=400'"],
    [["logs", "webhooks", "status>=four"], "status"],
    [["lgos", "webhooks"], "Try: media logs webhooks"],
    [["logs"], "Try: media help logs"],
    [["token", "lobby", "role:admin"], "role"],
    [["logs", "webhooks", "--jsn"], "Unknown flag --jsn."],
    [["logs", "webhooks", "--profile"], "--profile needs a value"],
    [["logs", "webhooks", "--profile="], "--profile needs a value"],
    [["logs", "webhooks", "--profile", "--json"], "--profile needs a value"],
    [["logs", "webhooks", "--json=yes"], "--json takes no value"],
    [["live", "--watch=0"], '--watch takes seconds from 0.5 to 3600, not "0", such as --watch=5.'],
    [["live", "--watch=often"], '--watch takes seconds from 0.5 to 3600, not "often", such as --watch=5.'],
    [["status", "--watch"], "Only media live takes --watch."],
    [["trace"], "trace needs"],
    [["logs", "webhooks", "--profile", "nowhere"], 'Unknown profile "nowhere". There are no profiles yet.'],
    [["token", "lobby"], "The channel's project is unknown."],
  ])("%j is a usage error, reported in one line on the standard error", async (words, message) => {
    const user = await newUser({ MEDIA_API_KEY: "mo_a_b" });
    const err = await errOf(user.media(words), 2);
    expect(err.trimEnd().split("\n")).toEqual([expect.stringContaining(message)]);
  });

  it("without a key explains how to get one", async () => {
    const { code, err } = await (await newUser()).media(["logs", "webhooks"]);
    expect(code).toBe(1);
    expect(err).toBe("There is no API key yet. Run: media login. Or set MEDIA_BASE_URL and MEDIA_API_KEY.\n");
  });

  it.each([
    ["media.example", "mo_a_b", "MEDIA_BASE_URL must be like https://media.example"],
    ["https://me:secret@media.example", "mo_a_b", "MEDIA_BASE_URL must be like https://media.example"],
    ["https://media.example", "Bearer secret", "MEDIA_API_KEY must be given, without spaces or line breaks."],
  ])("names the variable of an invalid address or key: %s, %s", async (url, apiKey, message) => {
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: apiKey });
    const { code, err } = await user.media(["logs", "webhooks"]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).not.toContain("secret");
  });

  it("is not one that finds no entries", async () => {
    const url = await startPlainService(() => [null, 1, "x", {}, { timestamp: 5 }]);
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    for (const words of [["status"], ["status", "--json"], ["logs", "webhooks"], ["summary", "sessions"]]) {
      expect(await user.media(words)).toMatchObject({ code: 0, err: expect.not.stringContaining("✗") });
    }
  });

  it("shows the service's message without terminal control characters", async () => {
    const url = await startAnswering((_, response) => {
      const problem = {
        type: "about:blank",
        title: "Bad",
        status: 400,
        detail: "\u001b[2J mo_ab_theSecretOfSomebody\u202e",
        request_id: "",
      };
      response.writeHead(400, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
    });
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    const { err } = await user.media(["logs", "webhooks"]);
    expect(err).toContain("␛[2J mo_ab_[redacted]");
    expect(err).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
  });
});

describe("a service with the six operations only", () => {
  let user: Awaited<ReturnType<typeof newUser>>;
  beforeAll(async () => {
    user = await newUser((await startFakeService({ extensions: false }, atEnd)).env, atEnd);
  });

  it.each([
    [["logs", "events"], "This service has no event log.", "media logs connections"],
    [["logs", "events", "as:json"], "This service has no event log.", "media logs connections"],
    [["summary", "events"], "This service has no event log.", "media logs connections"],
    [["follow", "events", "failed"], "This service has no event log.", "media logs connections"],
    [["why", "lobby"], "This service has no event log, so it cannot say why", "media trace <channel>"],
    [["live"], "This service cannot say who is connected.", "media logs connections"],
    [["live", "lobby", "--watch"], "This service cannot say who is connected.", "media logs connections"],
    [["tokens"], "This service does not keep a record of access tokens", "Update the service."],
    [["revoke", "lobby", "--yes"], "so it cannot list, revoke or check them", "Update the service."],
    [["deliveries", "failed"], "This service cannot list or resend deliveries.", "media logs webhooks failed"],
    [["resend", "since:1h", "--yes"], "This service cannot list or resend deliveries.", "media logs webhooks failed"],
    [["endpoints"], "This service cannot show or switch on webhook endpoints.", "media summary webhooks by:url"],
    [["enable", "event", "--yes"], "This service cannot show or switch on", "media summary webhooks by:url"],
    [["disconnect", "lobby", "--yes"], "so it cannot end connections.", "Update the service."],
    [["audit", "as:csv"], "This service has no audit log.", "media logs media-api"],
  ])("is said to lack what %j needs, and what to do instead", async (words, what, instead) => {
    const err = await errOf(user.media(words));
    expect(err).toContain(what);
    expect(err).toContain(instead);
    expect(err).not.toContain("There is no media service");
  });

  it("is said to check no token", async () => {
    const { code, err } = await user.media(["check"], { input: "eyJhbGciOiJIUzI1NiJ9.e30.c2ln\n" });
    expect(code).toBe(1);
    expect(err).toContain("so it cannot list, revoke or check them");
  });

  it("has a state, without the event log", async () => {
    const { code, out } = await user.media(["status"]);
    expect(code).toBe(0);
    expect(out).toContain("– Event log: this service has none.");
    expect(out).not.toContain("Incomplete");
    const { logs } = JSON.parse((await user.media(["status", "--json"])).out);
    expect(logs.at(-1)).toMatchObject({ kind: "events", isMissing: true });
  });
});

it("a server that isn't a media service is not taken for one without an event log", async () => {
  const url = await startAnswering((_, response) => void response.writeHead(404).end());
  const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
  for (const words of [["logs", "events"], ["why"], ["live"], ["trace", "lobby"]]) {
    const { code, err } = await user.media(words);
    expect(code).toBe(1);
    expect(err).toContain("There is no media service at this address");
  }
});
