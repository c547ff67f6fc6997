import { expect, it } from "vitest";
import { Quarantine } from "../intake/quarantine.js";
import { withProjects } from "./test/command-line.js";

it("shows rejected events newest first, without tokens and control characters", async () => {
  const { run, json, inDatabase } = await withProjects([]);
  expect((await run("intake", "quarantine")).stdout).toBe("No event of the media server was rejected.\n");
  const rejected = { at: "2026-04-01T09:30:15.000Z", path: "/intake/event", keyId: "0123456789abcdef" };
  const long = `{"type": 5, "access_token": "planted-token", "x": "\u001b[2J${"x".repeat(600)}"}`;
  await inDatabase(async ({ query }) => {
    const quarantine = new Quarantine(query);
    await quarantine.add({ ...rejected, reason: "/type must be text.", body: long });
    await quarantine.add({ ...rejected, at: "2026-04-01T09:31:15.000Z", reason: "It isn't JSON.", body: "{" });
  });

  const from = { path: "/intake/event", intake_key_id: "0123456789abcdef" };
  const all = await json("intake", "quarantine");
  expect(all).toEqual([
    { id: 2, at: "2026-04-01T09:31:15.000Z", ...from, reason: "It isn't JSON.", body: "{" },
    expect.objectContaining({ id: 1, body: expect.stringMatching(/x{600}"}$/) }),
  ]);
  expect(await json("intake", "quarantine", "--limit", "1")).toEqual([all[0]]);

  const { stdout } = await run("intake", "quarantine");
  const headOf = (at: string): string => `2026-04-01T09:${at}:15.000Z  /intake/event  intake key 0123456789abcdef`;
  expect(stdout.split("\n").slice(0, 5)).toEqual([headOf("31"), "  It isn't JSON.", "  {", "", headOf("30")]);
  expect(stdout).toContain("more characters)");
  expect(stdout).toContain("\\u{1b}[2J");
  expect(stdout).not.toContain("\u001b");
  expect(stdout + JSON.stringify(all)).not.toContain("planted");
  const stderr = expect.stringMatching(/from 1 to 1000/);
  expect(await run("intake", "quarantine", "--limit", "0")).toMatchObject({ code: 2, stderr });
});
