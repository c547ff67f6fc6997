import { describe, expect, it } from "vitest";
import { defaultPolicy, parsePolicy } from "./policy.js";

const MINUTE = 60_000;

const problemsOf = (text: string): readonly string[] => {
  const parsed = parsePolicy(text);
  return parsed.ok ? [] : parsed.problems;
};

describe("without a policy file", () => {
  it("everyone may have recvonly for ten minutes", () => {
    expect(defaultPolicy).toEqual({
      maxLifetimeMs: 60 * MINUTE,
      maxAheadMs: 24 * 60 * MINUTE,
      ask: [],
      grants: [{ to: ["everyone"], roles: ["recvonly"], maxLifetimeMs: 10 * MINUTE, projects: undefined }],
      connect: [],
      guests: [],
    });
  });

  it("it is as with an empty one", () => {
    expect(parsePolicy("{}")).toEqual({ ok: true, policy: defaultPolicy });
  });
});

describe("a policy file", () => {
  it("says who may make what, beside what everyone may", () => {
    const file = {
      maxLifetime: "1 day",
      maxAhead: "0s",
      ask: ["U01", "S01"],
      grants: [{ to: ["S01", "admins", "W01"], roles: ["any"], maxLifetime: "1h30m", projects: ["demo"] }],
      connect: ["S02"],
      guests: ["U02", "S03"],
    };
    expect(parsePolicy(JSON.stringify(file))).toEqual({
      ok: true,
      policy: {
        maxLifetimeMs: 24 * 60 * MINUTE,
        maxAheadMs: 0,
        ask: ["U01", "S01"],
        grants: [
          ...defaultPolicy.grants,
          { to: ["S01", "admins", "W01"], roles: ["any"], maxLifetimeMs: 90 * MINUTE, projects: ["demo"] },
        ],
        connect: ["S02"],
        guests: ["U02", "S03"],
      },
    });
  });

  it("can change what everyone may, and take it away", () => {
    const changed = parsePolicy('{ "default": { "roles": ["sendrecv"], "maxLifetime": "5m" } }');
    const grants = [{ to: ["everyone"], roles: ["sendrecv"], maxLifetimeMs: 5 * MINUTE, projects: undefined }];
    expect(changed).toEqual({ ok: true, policy: { ...defaultPolicy, grants } });
    expect(parsePolicy('{ "default": null }')).toEqual({ ok: true, policy: { ...defaultPolicy, grants: [] } });
  });

  it.each([
    ["[]", "is an object in JSON"],
    ["null", "is an object in JSON"],
    ['{ "grant": [] }', "has what there is not: grant"],
    ['{ "maxLifetime": "soon" }', "maxLifetime is a length of time of at least a second, such as 10m or 1h"],
    ['{ "maxLifetime": 3600 }', "maxLifetime is a length of time of at least a second, such as 10m or 1h"],
    ['{ "maxLifetime": "0s" }', "maxLifetime is a length of time of at least a second, such as 10m or 1h"],
    ['{ "maxAhead": null }', "maxAhead is a length of time, such as 24h"],
    ['{ "ask": "U01" }', "ask is a list of ids of users (U…) and user groups (S…)"],
    ['{ "ask": ["everyone"] }', "ask[0] is the id of a user (U…) or of a user group (S…)"],
    ['{ "connect": ["U01", "@ann"] }', "connect[1] is the id of a user (U…) or of a user group (S…)"],
    ['{ "guests": ["guests"] }', 'guests[0] is the id of a user (U…) or of a user group (S…), or "everyone"'],
    ['{ "default": false }', 'default is null, or an object such as { "roles": ["recvonly"], "maxLifetime": "10m" }'],
    ['{ "grants": {} }', "grants is a list of grants"],
    [
      '{ "grants": [{ "to": [], "roles": ["any"], "maxLifetime": "1h" }] }',
      "grants[0].to names someone: nobody is granted anything by an empty list",
    ],
    [
      '{ "grants": [{ "to": ["C01"], "roles": ["any"], "maxLifetime": "1h" }] }',
      'grants[0].to[0] is the id of a user (U…) or of a user group (S…), "everyone", "guests" or "admins"',
    ],
    [
      '{ "grants": [{ "to": ["U01"], "roles": ["any"], "maxLifetime": "1h", "project": "demo" }] }',
      "grants[0] has what there is not: project",
    ],
  ])("%s is refused with place and what is expected", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it("is told with all its faults at once, and none of its values", () => {
    const file = {
      maxLifetime: "hunter2",
      ask: ["hunter2"],
      grants: [
        { to: ["U01", "hunter2"], roles: ["recvonly", "hunter2"], maxLifetime: "hunter2", projects: [] },
        "hunter2",
      ],
    };
    const problems = problemsOf(JSON.stringify(file));
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "maxLifetime",
      "ask[0]",
      "grants[0].to[1]",
      "grants[0].roles[1]",
      "grants[0].maxLifetime",
      "grants[0].projects",
      "grants[1]",
    ]);
    expect(problems.join()).not.toContain("hunter2");
  });

  it.each([
    ["hunter2", "is no JSON"],
    ['{\n  "ask": [],\n  hunter2\n}', "is no JSON from line 3, column 3 on"],
    ['{ "ask": [hunter2] }', "is no JSON"],
    ['{ "ask": [], }', "is no JSON from line 1, column 14 on"],
    ["", "is no JSON"],
  ])("%j is refused without repeating what stands there", (text, problem) => {
    const [told, ...more] = problemsOf(text);
    expect(told).toMatch(new RegExp(`^${problem}(?: from line 1, column 1 on)?$`));
    expect(told).not.toContain("unter2");
    expect(more).toEqual([]);
  });
});
