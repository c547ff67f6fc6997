import { describe, expect, it } from "vitest";
import { admin, ann, inGroup, policyOf } from "../test/policy.js";
import { approvalFor, isApprovalPossible, mayAct, mayApprove, mayRevoke } from "./decide.js";
import { defaultPolicy, type Member } from "./policy.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const usual = { projectId: "demo", role: "recvonly", forMs: 10 * MINUTE, startsInMs: 0 } as const;

describe("what people may do beside creating tokens", () => {
  const guest: Member = { ...ann, isGuest: true };

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
