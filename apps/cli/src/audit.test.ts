import { describe, expect, it } from "vitest";
import { startOperations } from "./test/operations.js";

/** A service whose audit log has two entries of another person and one of this user. */
async function startAudited() {
  const service = await startOperations();
  const { jwt_id } = await service.issue("lobby@demo");
  await service.client.tokens.revoke({ jwt_id });
  await service.client.deliveries.resend({ since: "2026-04-01T09:00:00Z" });
  await service.media("revoke", "lobby", "--yes");
  return { ...service, jwt_id };
}

describe("media audit", () => {
  it("lists who changed what", async () => {
    const { media, jwt_id } = await startAudited();
    const { code, out, err } = await media("audit", "since:1h");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("cli:ann@laptop");
    expect(out).toContain("slack:T0PLAY/U0ANN");
    expect(out).toContain(jwt_id.slice(0, 8));
  });

  it("lists what one person or action changed", async () => {
    const { media, fake } = await startAudited();
    expect((await media("audit", "by:me")).out).not.toContain("slack:T0PLAY");
    expect((await media("audit", "action:deliveries.resend")).out).not.toContain("cli:ann");
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", action: "deliveries.resend" });
  });

  it("writes all of it as a file, page by page", async () => {
    const { media, fake } = await startAudited();
    const lines = (await media("audit", "as:json")).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(["token.revoke", "deliveries.resend", "token.revoke"]);
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", limit: 1000 });
    expect((await media("audit", "--json", "last:1")).out.trimEnd().split("\n")).toHaveLength(1);
    const csv = (await media("audit", "as:csv")).out;
    expect(csv).toMatch(/^timestamp,/);
    expect(csv.trimEnd().split("\r\n")).toHaveLength(4);
  });

  it("writes nothing but the header if nothing was changed", async () => {
    const { media } = await startOperations();
    expect((await media("audit", "as:json")).out).toBe("");
    expect((await media("audit", "as:csv")).out.trimEnd().split("\r\n")).toHaveLength(1);
    expect((await media("audit")).code).toBe(0);
  });
});
