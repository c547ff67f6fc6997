import { describe, expect, it } from "vitest";
import { withProjects } from "./test/command-line.js";

describe("a project", () => {
  it("admits clients without a token after --allow-anonymous, and no longer after --require-token", async () => {
    const { json, run } = await withProjects([]);
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
    expect((await run("projects", "list")).stdout).toMatch(/^demo .* admitted\nother .* refused$/m);

    await json("projects", "update", "--require-token", "demo");
    expect(await json("projects", "list")).toMatchObject([{ allow_anonymous: false }, { allow_anonymous: false }]);
  });

  it("is not changed without an option that says what to change", async () => {
    const { run } = await withProjects(["demo"]);
    for (const [args, code, stderr] of [
      [["demo"], 2, "Give --allow-anonymous, --require-token or --signing, to say what to change."],
      [
        ["demo", "--allow-anonymous", "--require-token"],
        2,
        "Give either --allow-anonymous or --require-token, not both.",
      ],
      [["nobody", "--require-token"], 1, "There is no project nobody. To list the projects: media-ops projects list"],
    ] as const) {
      expect(await run("projects", "update", ...args)).toEqual({ code, stdout: "", stderr: `${stderr}\n` });
    }
  });
});
