import { describe, expect, it } from "vitest";
import { commandLine } from "./test/command-line.js";

describe("a project", () => {
  it("lets clients in without a token when it is told to, and no longer when it is told otherwise", async () => {
    const { json, run } = await commandLine();
    await json("projects", "create", "demo");
    await json("projects", "create", "other");
    expect(await json("projects", "list")).toMatchObject([{ allow_anonymous: false }, { allow_anonymous: false }]);

    expect(await json("projects", "update", "demo", "--allow-anonymous")).toEqual({
      project_id: "demo",
      allow_anonymous: true,
    });
    expect(await json("projects", "list")).toEqual([
      { project_id: "demo", created_at: expect.any(String), allow_anonymous: true },
      { project_id: "other", created_at: expect.any(String), allow_anonymous: false },
    ]);
    expect((await run("projects", "list")).stdout).toMatch(/^demo .* let in\nother .* refused$/m);

    await json("projects", "update", "--require-token", "demo");
    expect(await json("projects", "list")).toMatchObject([{ allow_anonymous: false }, { allow_anonymous: false }]);
  });

  it("is not changed without exactly one word of what to change", async () => {
    const { run } = await commandLine();
    await run("projects", "create", "demo");
    expect(await run("projects", "update", "demo")).toMatchObject({
      code: 2,
      stderr: "Give one of --allow-anonymous and --require-token, to say what to change.\n",
    });
    expect(await run("projects", "update", "demo", "--allow-anonymous", "--require-token")).toMatchObject({
      code: 2,
      stderr: "Give one of --allow-anonymous and --require-token, not both.\n",
    });
    expect(await run("projects", "update", "nobody", "--require-token")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no project nobody."),
    });
  });
});
