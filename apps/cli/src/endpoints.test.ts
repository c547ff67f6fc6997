import { describe, expect, it } from "vitest";
import { startOperations } from "./test/operations.js";

const off = { kind: "event", state: "off", off_since: "2026-04-01T09:30:00Z", off_reason: "410 Gone" } as const;

describe("media endpoints", () => {
  it("shows the state of each endpoint", async () => {
    const { media, fake } = await startOperations();
    fake.setEndpoints(off, { kind: "auth" });
    const { code, out, err } = await media("endpoints");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("410 Gone");
    const json = await media("endpoints", "--json");
    expect(JSON.parse(json.out).endpoints).toMatchObject([{ kind: "event", state: "off" }, { kind: "auth" }]);
  });

  it("switches one on after a question, which says how to resend what failed meanwhile", async () => {
    const { atTerminal, fake, client } = await startOperations();
    fake.setEndpoints(off);
    const enabling = atTerminal("endpoints", "enable", "event");
    await enabling.answer("[y/N]", "yes\n");
    const { code, out, err } = await enabling.ended;
    expect(code).toBe(0);
    expect(err).toContain("media resend since:2026-04-01T09:30:00Z");
    expect(err).toContain("Switch the event endpoint on? [y/N]");
    expect(out).toMatch(/^✓ .*event/i);
    expect((await client.endpoints.list()).endpoints).toMatchObject([{ state: "ok" }]);
  });

  it("says that the project has no such endpoint, without a question", async () => {
    const { atTerminal, media } = await startOperations();
    const { code, err } = await atTerminal("endpoint", "on", "auth").ended;
    expect({ code, err }).toEqual({ code: 1, err: "The project has no auth endpoint. Nothing was done.\n" });
    expect((await media("enable", "auth", "--yes")).err).toContain("The project has no auth webhook");
  });

  it("switches none on without a terminal and without --yes", async () => {
    const { media, fake, paths } = await startOperations();
    fake.setEndpoints(off);
    expect(await media("endpoints", "enable", "event")).toMatchObject({ code: 2, out: "" });
    expect(paths()).toEqual([]);
    const { code, out } = await media("endpoints", "enable", "event", "--yes", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ kind: "event", state: "ok" });
  });
});
