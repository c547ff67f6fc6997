import { describe, expect, it } from "vitest";
import { defaultPolicy, parsePolicy } from "./policy.js";

const MINUTE = 60_000;

const problemsOf = (text: string): readonly string[] => {
  const parsed = parsePolicy(text);
  return parsed.ok ? [] : parsed.problems;
};

const HOUR = 60 * MINUTE;
const LENGTH = "must be a length of time of at least a second, such as 10m or 1h";
const ID = "must be the id of a user (U…) or of a user group (S…)";
const PLACE = "approvals[0].postTo must be the id of a channel (C…) or of a user group (S…)";
const ADMINS = { to: ["admins"], roles: ["any"], maxLifetimeMs: 24 * HOUR, projects: undefined };

describe("without a policy file", () => {
  it("everyone may use recvonly for ten minutes, and admins every role for a day", () => {
    expect(defaultPolicy).toEqual({
      maxLifetimeMs: 24 * HOUR,
      maxAheadMs: 24 * 60 * MINUTE,
      ask: [],
      grants: [{ to: ["everyone"], roles: ["recvonly"], maxLifetimeMs: 10 * MINUTE, projects: undefined }, ADMINS],
      connect: [],
      guests: [],
      watch: ["everyone"],
      act: {
        revoke: ["admins"],
        revokeOwn: ["everyone"],
        resend: ["admins"],
        endpoints: ["admins"],
        disconnect: ["admins"],
        audit: ["admins"],
      },
      approvals: undefined,
    });
  });

  it("the policy is that of an empty file", () => {
    expect(parsePolicy("{}")).toEqual({ ok: true, policy: defaultPolicy });
  });
});

const grantTo = (rest: string): string => `{ "grants": [{ "to": ${rest}, "maxLifetime": "1h" }] }`;

describe("a policy file", () => {
  it("names who may create which tokens, beside the default", () => {
    const rule = { from: ["everyone"], projects: undefined, maxLifetimeMs: undefined };
    const file = {
      maxLifetime: "1 day",
      maxAhead: "0s",
      ask: ["U01", "S01"],
      grants: [{ to: ["S01", "admins", "W01"], roles: ["any"], maxLifetime: "1h30m", projects: ["demo"] }],
      connect: ["S02"],
      guests: ["U02", "S03"],
      watch: ["admins", "S04"],
      act: { resend: [], audit: ["S05", "admins"] },
      approvals: [
        { postTo: "C01" },
        { postTo: "S07", roles: ["any"] },
        {
          postTo: "S06",
          approvers: ["S06", "U03"],
          from: ["guests"],
          projects: ["demo"],
          roles: ["sendonly"],
          maxLifetime: "2h",
        },
      ],
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
        watch: ["admins", "S04"],
        act: { ...defaultPolicy.act, resend: [], audit: ["S05", "admins"] },
        approvals: [
          { ...rule, postTo: "C01", approvers: ["admins"], roles: ["recvonly", "sendonly", "sendrecv", "any"] },
          { ...rule, postTo: "S07", approvers: ["S07"], roles: ["any"] },
          {
            postTo: "S06",
            approvers: ["S06", "U03"],
            from: ["guests"],
            projects: ["demo"],
            roles: ["sendonly"],
            maxLifetimeMs: 2 * HOUR,
          },
        ],
      },
    });
  });

  it("can change or remove what members and admins may without it", () => {
    const grantsOf = (file: string) => {
      const parsed = parsePolicy(file);
      expect(parsed).toMatchObject({ ok: true, policy: { ...defaultPolicy, grants: expect.any(Array) } });
      return parsed.ok ? parsed.policy.grants : [];
    };
    const everyone = { to: ["everyone"], roles: ["sendrecv"], maxLifetimeMs: 5 * MINUTE, projects: undefined };
    expect(grantsOf('{ "default": { "roles": ["sendrecv"], "maxLifetime": "5m" } }')).toEqual([everyone, ADMINS]);
    expect(grantsOf('{ "default": null }')).toEqual([ADMINS]);
    expect(grantsOf('{ "default": null, "admins": { "roles": ["sendonly"], "maxLifetime": "1h" } }')).toEqual([
      { ...ADMINS, roles: ["sendonly"], maxLifetimeMs: HOUR },
    ]);
    expect(grantsOf('{ "default": null, "admins": null }')).toEqual([]);
  });

  it.each([
    ["[]", "must be a JSON object"],
    ["null", "must be a JSON object"],
    ['{ "grant": [] }', "has unknown fields: grant"],
    ...['"soon"', "3600", '"0s"'].map((length) => [`{ "maxLifetime": ${length} }`, `maxLifetime ${LENGTH}`]),
    ['{ "maxAhead": null }', "maxAhead must be a length of time, such as 24h"],
    ['{ "ask": "U01" }', "ask must be a list of ids of users (U…) and user groups (S…)"],
    ['{ "ask": ["everyone"] }', `ask[0] ${ID}`],
    ['{ "connect": ["U01", "@ann"] }', `connect[1] ${ID}`],
    ['{ "guests": ["guests"] }', `guests[0] ${ID}, or "everyone"`],
    [
      '{ "default": false }',
      'default must be null or an object such as { "roles": ["recvonly"], "maxLifetime": "10m" }',
    ],
    ['{ "admins": [] }', 'admins must be null or an object such as { "roles": ["any"], "maxLifetime": "24h" }'],
    ['{ "act": [] }', 'act must be an object such as { "resend": ["admins", "S0123"] }'],
    ['{ "act": { "restart": [] } }', "act has unknown fields: restart"],
    ['{ "act": { "audit": ["C01"] } }', `act.audit[0] ${ID}, "everyone", "guests" or "admins"`],
    ['{ "approvals": {} }', "approvals must be a list of rules"],
    ['{ "approvals": [{}] }', PLACE],
    ['{ "approvals": [{ "postTo": "#ops" }] }', PLACE],
    [
      '{ "approvals": [{ "postTo": "C01", "approvers": [] }] }',
      "approvals[0].approvers must not be empty: somebody must decide",
    ],
    [
      '{ "approvals": [{ "postTo": "C01", "approvers": ["everyone"] }] }',
      `approvals[0].approvers[0] ${ID}, or "admins"`,
    ],
    ['{ "grants": {} }', "grants must be a list of grants"],
    [grantTo('[], "roles": ["any"]'), "grants[0].to must not be empty: an empty list grants nothing"],
    [grantTo('["C01"], "roles": ["any"]'), `grants[0].to[0] ${ID}, "everyone", "guests" or "admins"`],
    [grantTo('["U01"], "roles": ["any"], "project": "demo"'), "grants[0] has unknown fields: project"],
  ])("%s is refused with its path and the expected value", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it("is refused with all its faults at once, and none of its values", () => {
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
    ["hunter2", "is not JSON"],
    ['{\n  "ask": [],\n  hunter2\n}', "is not JSON from line 3, column 3 on"],
    ['{ "ask": [hunter2] }', "is not JSON"],
    ['{ "ask": [], }', "is not JSON from line 1, column 14 on"],
    ["", "is not JSON"],
  ])("%j is refused without quoting it", (text, problem) => {
    const [told, ...more] = problemsOf(text);
    expect(told).toMatch(new RegExp(`^${problem}(?: from line 1, column 1 on)?$`));
    expect(told).not.toContain("unter2");
    expect(more).toEqual([]);
  });
});
