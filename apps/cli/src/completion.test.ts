import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUser } from "./test/media.js";

async function candidates(...words: string[]): Promise<string[]> {
  const { out } = await (await newUser()).media(["__complete", "--", ...words]);
  return out.split("\n").map((line) => line.split("\t")[0] ?? "");
}

describe("completion", () => {
  it.each([
    [["lo"], "logs"],
    [["logs", "we"], "webhooks"],
    [["logs", "webhooks", "sta"], "status:"],
    [["logs", "webhooks", "sin"], "since:"],
    [["token", "role:r"], "role:recvonly"],
    [["completion", ""], "fish"],
    [["logs", "webhooks", "--j"], "--json"],
    [["logs", "ev"], "events"],
    [["logs", "events", "fa"], "failed"],
    [["logs", "events", "reason:ice"], "reason:ice-timeout"],
    [["trace", "cl"], "client:"],
    [["trace", "lobby", "si"], "since:"],
    [["why", "lobby", "si"], "since:"],
    [["live", "--w"], "--watch"],
    [["tokens", "rev"], "revoke"],
    [["token", "ch"], "check"],
    [["tokens", "revoke", "--y"], "--yes"],
    [["disconnect", "--y"], "--yes"],
    [["endpoints", "enable", ""], "event"],
    [["deliveries", "fa"], "failed"],
    [["audit", "action:tok"], "action:token.revoke"],
    [["--json", "--profile", "staging", "logs", "we"], "webhooks"],
    [["--utc", "comp"], "completion"],
  ])("after %j offers %s", async (words, candidate) => {
    expect(await candidates(...words)).toContain(candidate);
  });

  it("offers --watch after live alone, and --yes after commands that ask", async () => {
    expect(await candidates("logs", "webhooks", "--")).not.toContain("--watch");
    expect(await candidates("tokens", "--")).not.toContain("--yes");
  });

  it("lists the profiles without their secrets", async () => {
    const { home, media } = await newUser();
    const profiles = {
      staging: { baseUrl: "http://staging.example", apiKey: "mo_a_secret" },
      production: { baseUrl: "http://me:secret@production.example", apiKey: "mo_b_secret" },
    };
    await mkdir(join(home, ".config/media-ops"), { recursive: true });
    await writeFile(join(home, ".config/media-ops/profiles.json"), JSON.stringify({ profiles }));
    const both = "staging\thttp://staging.example\nproduction\thttp://production.example\n";
    expect((await media(["__complete", "--", "use", ""])).out).toBe(both);
    expect((await media(["__complete", "--", "logs", "--profile", ""])).out).toBe(both);
    expect((await media(["__complete", "--", "--profile=s"])).out).toBe("--profile=staging\thttp://staging.example\n");
    expect((await media(["__complete", "--", "use", "x"])).out).toBe("");
  });

  it("offers nothing, and prints no error, if the profiles can't be read", async () => {
    const { home, media } = await newUser();
    await mkdir(join(home, ".config/media-ops/profiles.json"), { recursive: true });
    expect(await media(["__complete", "--", "use", ""])).toEqual({ code: 0, out: "", err: "" });
  });

  it.each(["bash", "zsh", "fish"])("prints what %s needs", async (shell) => {
    const { out, code } = await (await newUser()).media(["completion", shell]);
    expect(out).toContain(`for ${shell}`);
    expect(code).toBe(0);
  });
});
