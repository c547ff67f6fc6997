import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { startAnswering, startFakeService } from "./test/services.js";
import { errOf, newUser } from "./test/user.js";

describe("a service with the six operations only", () => {
  let user: Awaited<ReturnType<typeof newUser>>;
  const atEnd = closeAfterAll();
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

it("a server that is no media service is not taken for one without an event log", async () => {
  const url = await startAnswering((_, response) => void response.writeHead(404).end());
  const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
  for (const words of [["logs", "events"], ["why"], ["live"], ["trace", "lobby"]]) {
    const { code, err } = await user.media(words);
    expect(code).toBe(1);
    expect(err).toContain("There is no media service at this address");
  }
});
