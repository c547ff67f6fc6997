import { describe, expect, it } from "vitest";
import { type Member, parsePolicy, type TokenPolicy } from "../policy/policy.js";
import { allowedFor, anyOf, lengthsIn } from "./choices.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function policyOf(file: object): TokenPolicy {
  const parsed = parsePolicy(JSON.stringify(file));
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  return parsed.policy;
}

const ann: Member = { userId: "U1", isAdmin: false, isGuest: false, groups: new Set(["S1"]) };

describe("what somebody may choose from", () => {
  it.each([
    ["by default", {}, { recvonly: 10 * MINUTE }],
    ["without a default", { default: null }, {}],
    [
      "with a grant",
      { grants: [{ to: ["S1"], roles: ["sendonly"], maxLifetime: "45m" }] },
      { recvonly: 10 * MINUTE, sendonly: 45 * MINUTE },
    ],
    [
      "with a grant to others",
      { grants: [{ to: ["S2"], roles: ["any"], maxLifetime: "1h" }] },
      { recvonly: 10 * MINUTE },
    ],
    [
      "with a grant for another project",
      { grants: [{ to: ["U1"], roles: ["any"], maxLifetime: "1h", projects: ["other"] }] },
      { recvonly: 10 * MINUTE },
    ],
    [
      "with what includes all roles, up to the cap of all",
      { maxLifetime: "2h", grants: [{ to: ["U1"], roles: ["any"], maxLifetime: "1d" }] },
      { recvonly: 2 * HOUR, sendonly: 2 * HOUR, sendrecv: 2 * HOUR, any: 2 * HOUR },
    ],
  ])("%s is what the policy allows", (_, file, allowed) => {
    expect(allowedFor(policyOf(file), ann, "demo")).toEqual(allowed);
  });

  it("in several projects is what one of them allows", () => {
    expect(anyOf([{ recvonly: 1, any: 2 }, {}, { recvonly: 3 }])).toEqual({ recvonly: 3, any: 2 });
    expect(anyOf([])).toEqual({});
  });

  it.each([
    [{ recvonly: 10 * MINUTE }, [5, 10]],
    [{ recvonly: 10 * MINUTE, any: 45 * MINUTE }, [5, 10, 30, 45]],
    [{ recvonly: 90_000 }, [1.5]],
    [{}, []],
  ])("%j lasts for one of the usual times, or as long as it may", (allowed, minutes) => {
    expect(lengthsIn(allowed)).toEqual(minutes.map((count) => count * MINUTE));
  });
});
