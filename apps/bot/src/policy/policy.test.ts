import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLength } from "../language.js";
import { admin, ann, inGroup, policyOf } from "../test/config.js";
import {
  anyOf,
  approvalFor,
  decideMint,
  defaultPolicy,
  groupsIn,
  isApprovalPossible,
  lengthsIn,
  type Member,
  mayAct,
  mayApprove,
  mayConnect,
  mayRevoke,
  mayUseBot,
  parsePolicy,
  roles,
} from "./policy.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const problemsOf = (text: string): readonly string[] => {
  const parsed = parsePolicy(text);
  return parsed.ok ? [] : parsed.problems;
};

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

const usual = { projectId: "demo", role: "recvonly", forMs: 10 * MINUTE, startsInMs: 0 } as const;
const sender = (more: object = {}) => ({ to: ["S01"], roles: ["sendonly", "sendrecv"], maxLifetime: "2h", ...more });

it.each([
  [{ forMs: HOUR }, "You may make tokens with the role recvonly for up to 10 minutes, but not for 1 hour."],
  [
    { role: "sendrecv" } as const,
    "You may make tokens with the role recvonly for up to 10 minutes, but none with the role sendrecv.",
  ],
  [
    { role: "any" } as const,
    "You may make tokens with the role recvonly for up to 10 minutes, but none without a role.",
  ],
  [{ startsInMs: 25 * HOUR }, "You may make tokens that start at most 1 day ahead, but not in 1 day 1 hour."],
  [
    { forMs: HOUR, startsInMs: 25 * HOUR },
    "You may make tokens with the role recvonly for up to 10 minutes, starting at most 1 day ahead, but not for 1 hour.",
  ],
  [
    { forMs: Number.POSITIVE_INFINITY },
    "You may make tokens with the role recvonly for up to 10 minutes, but not for ever.",
  ],
  [{ forMs: Number.NaN }, "You may make tokens with the role recvonly for up to 10 minutes, but not for ever."],
])("a person without grants who requests %j sees what is allowed", (more, reason) => {
  expect(decideMint(defaultPolicy, ann, { ...usual, ...more })).toEqual({ ok: false, reason, ask: [] });
});

it("an admin without a policy file sees that longer than a day is not allowed", () => {
  expect(decideMint(defaultPolicy, admin, { ...usual, role: "any", forMs: 24 * HOUR + 1000 })).toMatchObject({
    reason: "You may make tokens with any role for up to 1 day, but not for 1 day 1 second.",
  });
});

describe("a grant", () => {
  const granting = policyOf({ maxLifetime: "1h", ask: ["U09"], grants: [sender({ projects: ["demo"] })] });

  it("is listed beside the others", () => {
    expect(decideMint(granting, inGroup, { ...usual, role: "any" })).toEqual({
      ...{ ok: false, ask: ["U09"] },
      reason:
        "You may make tokens with the role sendonly or sendrecv for up to 1 hour, or with the role recvonly for up to 10 minutes, but none without a role.",
    });
  });

  it("of nothing to anyone is described as such", () => {
    expect(decideMint(policyOf({ default: null }), ann, usual)).toEqual({
      ok: false,
      reason: "You may not make tokens for the project demo.",
      ask: [],
    });
  });

  it("of tokens that start now is described as such", () => {
    expect(decideMint(policyOf({ maxAhead: "0s" }), ann, { ...usual, startsInMs: MINUTE })).toMatchObject({
      reason: "You may make tokens that start now, but not in 1 minute.",
    });
  });
});

it("projects are connected by admins, and by the people that the policy names", () => {
  expect([ann, admin, inGroup].map((member) => mayConnect(defaultPolicy, member))).toEqual([false, true, false]);
  const some = policyOf({ connect: ["U01", "S01"] });
  expect([ann, admin, inGroup].map((member) => mayConnect(some, member))).toEqual([true, true, true]);
  expect(mayConnect(some, { ...ann, userId: "U04" })).toBe(false);
});

const guest: Member = { ...ann, isGuest: true };

describe("a guest", () => {
  it("has no permission that the policy gives everyone", () => {
    expect(mayUseBot(defaultPolicy, guest)).toBe(false);
    expect(mayConnect(policyOf({ connect: ["U01"] }), guest)).toBe(false);
  });

  it.each([
    ["by their id", ["U01"], true],
    ["by a user group", ["S01"], true],
    ["as one of all guests", ["everyone"], true],
    ["only beside others", ["U02", "S02"], false],
  ])("may use the bot if the policy names them %s", (_, guests, mayUse) => {
    expect(mayUseBot(policyOf({ guests }), { ...guest, groups: new Set(["S01"]) })).toBe(mayUse);
  });
});

it("the user groups to look up are those that the policy depends on, each once", () => {
  const some = policyOf({
    ask: ["S09"],
    connect: ["S02", "U01"],
    guests: ["S03", "everyone"],
    grants: [sender(), sender({ to: ["S01", "everyone"] })],
    act: { audit: ["S04", "S01"] },
    approvals: [{ postTo: "S08", approvers: ["S05"], from: ["S06", "U01"] }],
  });
  expect(groupsIn(some)).toEqual(["S01", "S02", "S03", "S04", "S05", "S06"]);
  expect(groupsIn(defaultPolicy)).toEqual([]);
});

describe("for any policy,", () => {
  const lengths = ["1s", "1500ms", "90s", "10m", "1h30m", "1h", "1d", "25h61s"];
  const length = fc.constantFrom(...lengths);
  const someRoles = fc.subarray([...roles], { minLength: 1 });
  const grant = fc.record(
    {
      to: fc.subarray(["U01", "U02", "S01", "S02", "everyone", "guests", "admins"], { minLength: 1 }),
      roles: someRoles,
      maxLifetime: length,
      projects: fc.subarray(["demo", "other"], { minLength: 1 }),
    },
    { requiredKeys: ["to", "roles", "maxLifetime"] },
  );
  const file = fc.record({
    maxLifetime: length,
    maxAhead: fc.constantFrom("0s", ...lengths),
    default: fc.option(fc.record({ roles: someRoles, maxLifetime: length })),
    admins: fc.option(fc.record({ roles: someRoles, maxLifetime: length })),
    grants: fc.array(grant, { maxLength: 5 }),
    guests: fc.subarray(["U01", "S01", "everyone"]),
  });
  const member = fc.record({
    userId: fc.constantFrom("U01", "U02", "U03"),
    isAdmin: fc.boolean(),
    isGuest: fc.boolean(),
    groups: fc.subarray(["S01", "S02", "S03"]).map((ids) => new Set(ids)),
  });
  const ms = fc.oneof(
    length.map((text) => readLength(text) ?? 0),
    fc.constantFrom(0, 1, 600_001, Number.POSITIVE_INFINITY, Number.NaN),
    fc.nat(200_000_000),
  );
  const wanted = fc.record({
    projectId: fc.constantFrom("demo", "other", "third"),
    role: fc.constantFrom(...roles),
    forMs: ms,
    startsInMs: ms,
  });

  it("exactly the tokens within some grant and the maximum are allowed", () => {
    fc.assert(
      fc.property(file, member, wanted, (file, { userId, isAdmin, isGuest, groups }, asked) => {
        const grants = [
          ...file.grants,
          ...(file.default ? [{ to: ["everyone"], ...file.default }] : []),
          ...(file.admins ? [{ to: ["admins"], ...file.admins }] : []),
        ];
        const inTime = (limit: string, ms: number) => ms <= (readLength(limit) ?? 0);
        const isAllowed =
          inTime(file.maxLifetime, asked.forMs) &&
          inTime(file.maxAhead, asked.startsInMs) &&
          (!isGuest || file.guests.some((whom) => whom === "everyone" || whom === userId || groups.has(whom))) &&
          grants.some(
            (grant) =>
              ((grant.to.includes("everyone") && !isGuest) ||
                (grant.to.includes("guests") && isGuest) ||
                grant.to.includes(userId) ||
                (isAdmin && grant.to.includes("admins")) ||
                grant.to.some((id) => groups.has(id))) &&
              (!("projects" in grant) || grant.projects === undefined || grant.projects.includes(asked.projectId)) &&
              (grant.roles.includes(asked.role) || grant.roles.includes("any")) &&
              inTime(grant.maxLifetime, asked.forMs),
          );
        expect(decideMint(policyOf(file), { userId, isAdmin, isGuest, groups }, asked).ok).toBe(isAllowed);
      }),
      { numRuns: 1000 },
    );
  });

  // A refusal has exactly this form, so the test checks all that it claims.
  const LENGTH = String.raw`(?:\d[\d.]* (?:days?|hours?|minutes?|seconds?|ms)(?: (?=\d)|(?=[,.])))+?`;
  const CLAIM = String.raw`with (?:any role|the role \w+(?: or \w+)*) for up to ${LENGTH}`;
  const AHEAD = `now|at most (?:${LENGTH.replace("[,.]", "[ ,.]")}) ahead`;
  const BUT = String.raw`, but (?:not (?:for|in) [\w. ]+|none with the role \w+|none without a role)\.`;
  const REFUSAL = new RegExp(
    `^You may (?:not make tokens for the project \\w+\\.|make tokens that start (?<start>${AHEAD})${BUT}|make tokens (?<claims>${CLAIM}(?:, or ${CLAIM})*)(?:, starting (?<ahead>${AHEAD}))?${BUT})$`,
  );
  const aheadOf = (text: string): number =>
    text === "now" ? 0 : (readLength(text.replace(/^at most | ahead$/g, "")) ?? Number.NaN);

  it("a refusal never claims a permission that would be refused", () => {
    fc.assert(
      fc.property(file, member, wanted, (file, member, asked) => {
        const rules = policyOf(file);
        const decision = decideMint(rules, member, asked);
        if (decision.ok) return;
        const { start, claims, ahead } = REFUSAL.exec(decision.reason)?.groups ?? {};
        expect(decision.reason).toMatch(REFUSAL);
        if (start) {
          expect(decideMint(rules, member, { ...asked, startsInMs: aheadOf(start) }), decision.reason).toEqual({
            ok: true,
          });
        }
        for (const claim of claims?.split(", or ") ?? []) {
          const [, named = "", length = ""] = /^with (.*) for up to (.*)$/.exec(claim) ?? [];
          const forMs = readLength(length) ?? Number.NaN;
          const startsInMs = ahead ? aheadOf(ahead) : asked.startsInMs;
          const claimed = roles.filter((role) => named === "any role" || named.split(/ (?:or )?/).includes(role));
          expect(claimed).not.toEqual([]);
          for (const role of claimed) {
            const result = decideMint(rules, member, { ...asked, role, forMs, startsInMs });
            expect(result, decision.reason).toEqual({ ok: true });
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the available roles and lifetimes", () => {
  it("in several projects are those of any of them", () => {
    expect(anyOf([{ recvonly: 1, any: 2 }, {}, { recvonly: 3 }])).toEqual({ recvonly: 3, any: 2 });
    expect(anyOf([])).toEqual({});
  });

  it.each([
    [{ recvonly: 10 * MINUTE }, [5, 10]],
    [{ recvonly: 10 * MINUTE, any: 45 * MINUTE }, [5, 10, 30, 45]],
    [{ recvonly: 90_000 }, [1.5]],
    [{}, []],
  ])("for %j are the usual lifetimes and the maximum", (allowed, minutes) => {
    expect(lengthsIn(allowed)).toEqual(minutes.map((count) => count * MINUTE));
  });
});

describe("what people may do beside creating tokens", () => {
  it.each(["revoke", "resend", "endpoints", "disconnect", "audit"] as const)(
    "%s: admins by default, and exactly the people of the policy otherwise",
    (act) => {
      expect([ann, admin, inGroup, guest].map((one) => mayAct(defaultPolicy, one, act))).toEqual([
        ...[false, true, false, false],
      ]);
      const some = policyOf({ act: { [act]: ["S01"] } });
      expect([ann, admin, inGroup, guest].map((one) => mayAct(some, one, act))).toEqual([false, false, true, false]);
      expect(mayAct(policyOf({ act: { [act]: [] } }), admin, act)).toBe(false);
      // A guest who may not use the bot may do nothing, even if the policy names them for it.
      expect(mayAct(policyOf({ act: { [act]: ["U01"] } }), guest, act)).toBe(false);
    },
  );

  it.each([
    ["their own token", defaultPolicy, ann, "U01", true],
    ["the token of another", defaultPolicy, ann, "U02", false],
    ["a token that nobody here requested", defaultPolicy, ann, undefined, false],
    ["any token, as an admin", defaultPolicy, admin, "U01", true],
    ["a token that nobody here requested, as an admin", defaultPolicy, admin, undefined, true],
    ["their own token, if the policy allows that to nobody", policyOf({ act: { revokeOwn: [] } }), ann, "U01", false],
    ["any token, if the policy names them", policyOf({ act: { revoke: ["U01"] } }), ann, "U02", true],
    ["their own token, as a guest", defaultPolicy, guest, "U01", false],
  ])("a member may revoke %s: %#", (_, rules, member, owner, may) => {
    expect(mayRevoke(rules, member, owner)).toBe(may);
  });
});

describe("a request for approval", () => {
  const wanted = { ...usual, role: "sendrecv", forMs: 2 * HOUR } as const;
  const rules = policyOf({
    maxLifetime: "8h",
    approvals: [
      { postTo: "C01", approvers: ["U09"], projects: ["demo"], roles: ["sendrecv"], maxLifetime: "4h" },
      { postTo: "C02", approvers: ["S02"], from: ["S01"], roles: ["any"] },
    ],
  });
  const placeOf = (member: Member, more: object = {}): string | undefined =>
    approvalFor(rules, member, { ...wanted, ...more }, "C0AUDIT")?.postTo;

  it.each([
    ["within the first rule", ann, {}, "C01"],
    ["too long for the first rule, by a person that no other rule covers", ann, { forMs: 4 * HOUR + 1000 }, undefined],
    ["too long for the first rule, by a person that another rule covers", inGroup, { forMs: 5 * HOUR }, "C02"],
    ["with another role", ann, { role: "sendonly" }, undefined],
    ["without a role", inGroup, { role: "any" }, "C02"],
    ["for another project", ann, { projectId: "other" }, undefined],
    ["for another project, by a person that a rule covers", inGroup, { projectId: "other" }, "C02"],
    ["beyond the policy's own maximum", inGroup, { forMs: 8 * HOUR + 1000 }, undefined],
    ["for ever", inGroup, { forMs: Number.POSITIVE_INFINITY }, undefined],
    ["for no number", inGroup, { forMs: Number.NaN }, undefined],
    ["that starts too far ahead", ann, { startsInMs: 25 * HOUR }, undefined],
    ["of a guest who may not use the bot", { ...ann, isGuest: true }, {}, undefined],
  ])("%s goes where the policy says", (_, member, more, place) => {
    expect(placeOf(member, more)).toBe(place);
  });

  it("goes to the audit channel and is for admins to decide, if the policy has no rules", () => {
    expect(approvalFor(defaultPolicy, ann, wanted, "C0AUDIT")).toMatchObject({
      postTo: "C0AUDIT",
      approvers: ["admins"],
    });
    expect(approvalFor(defaultPolicy, ann, { ...wanted, forMs: 24 * HOUR + 1000 }, "C0AUDIT")).toBeUndefined();
    expect(approvalFor(defaultPolicy, ann, wanted, undefined)).toBeUndefined();
    expect(approvalFor(policyOf({ approvals: [] }), ann, wanted, "C0AUDIT")).toBeUndefined();
  });

  it.each([
    [defaultPolicy, "C0AUDIT", true],
    [defaultPolicy, undefined, false],
    [policyOf({ approvals: [] }), "C0AUDIT", false],
    [rules, undefined, true],
  ])("is possible at all with rules, or with an audit channel: %#", (some, auditChannel, isPossible) => {
    expect(isApprovalPossible(some, auditChannel)).toBe(isPossible);
  });

  const [first, second] = rules.approvals ?? [];
  it.each([
    ["a person of the rule", first, { ...ann, userId: "U09" }, true],
    ["a person of the rule, their own", first, { ...ann, userId: "U01" }, false],
    ["an admin that the rule does not name", first, admin, false],
    ["a member of the rule's group", second, { ...ann, userId: "U08", groups: new Set(["S02"]) }, true],
    ["a member of the rule's group, their own", second, { ...ann, groups: new Set(["S02"]) }, false],
    ["somebody who left the rule's group", second, { ...ann, userId: "U08" }, false],
    ["a guest of the rule's group", second, { ...ann, userId: "U08", isGuest: true, groups: new Set(["S02"]) }, false],
    ["an admin by default", approvalFor(defaultPolicy, ann, wanted, "C0AUDIT"), admin, true],
    ["a member by default", approvalFor(defaultPolicy, ann, wanted, "C0AUDIT"), inGroup, false],
  ])("is decided by %s: %#", (_, rule, member, may) => {
    expect(rule && mayApprove(rule, member, "U01")).toBe(may);
  });
});
