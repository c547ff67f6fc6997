import { expect, it } from "vitest";
import { withProjects } from "./test/command-line.js";

it("lists what operators have changed, the newest first, without secrets, and exports it as lines of JSON", async () => {
  const { json, run } = await withProjects(["demo", "other"]);
  const { api_key: key, key_id } = await json("keys", "create", "demo");
  await run("keys", "revoke", key);
  await run("webhooks", "set", "demo", "event", "https://hooks.example/media?token=hidden");
  await run("projects", "update", "other", "--signing", "eddsa");
  await run("keys", "revoke", "0000");
  const entries = await json("audit", "demo");
  expect(entries).toMatchObject([
    { action: "operator.webhooks set", outcome: "done", requested_by: expect.stringMatching(/^operator:./) },
    { action: "operator.keys revoke", outcome: "done", subject: expect.stringContaining(key_id) },
    { action: "operator.keys create", outcome: "done", subject: "demo" },
  ]);
  const all = (await run("audit", "--lines")).stdout;
  expect(all).not.toContain(key);
  expect(all).not.toContain("hidden");
  const lines = all
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ action: "operator.keys revoke", outcome: "failed", project_id: null });
  expect(lines[1]).toMatchObject({ action: "operator.projects update", project_id: "other" });
  expect((await run("audit", "demo", "--action", "operator.keys create")).stdout).toMatch(
    /\n.*operator\.keys create.*\n$/,
  );
  expect((await run("audit", "demo", "--by", "nobody")).stdout).toBe("Nothing was changed.\n");
});

it("tokens of a project are signed with a key pair, which is listed and revoked like other keys", async () => {
  const { json } = await withProjects(["demo"]);
  await json("keys", "create", "demo");
  const { key_id } = await json("projects", "update", "demo", "--signing", "eddsa");
  expect(await json("keys", "list", "demo")).toMatchObject([
    { kind: "api", revoked_at: null },
    { kind: "signing", key_id, retired_at: null },
  ]);
  await json("projects", "update", "demo", "--signing", "hs256");
  expect((await json("keys", "list", "demo"))[1]).toMatchObject({
    key_id,
    retired_at: expect.any(String),
    revoked_at: null,
  });
  expect(await json("keys", "revoke", key_id)).toEqual({ key_id, project_id: "demo", revoked: true });
});
