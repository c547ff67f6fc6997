import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { formatAudit, formatDeliveries, formatEndpoints, formatTokens } from "../csv/index.js";
import { audit, deliveries, endpoints, issued } from "../test/samples.js";

const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, record_delimiter: "\r\n" });

/** The fields with a value. */
const givenIn = (row: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""));

/** Values as CSV has them. */
const asText = (thing: object = {}) =>
  Object.fromEntries(
    Object.entries(thing).map(([name, value]) => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );

describe("lists as CSV", () => {
  it("have every field of the contract, unchanged", () => {
    expect(rowsOf(formatTokens(issued)).map(givenIn)).toEqual(issued.map(asText));
    expect(rowsOf(formatEndpoints(endpoints)).map(givenIn)).toEqual(endpoints.map(asText));
    expect(givenIn(rowsOf(formatDeliveries(deliveries))[1])).toEqual({
      ...asText(deliveries[1]),
      attempt_count: "4",
      last_status: "503",
    });
  });

  it("have the action of an audit entry in words, too", () => {
    const rows = rowsOf(formatAudit(audit));
    expect(givenIn(rows[0])).toEqual({ ...asText(audit[0]), words: "revoked a token" });
    expect(rows[5]).toMatchObject({ action: "token.polish", words: "token.polish" });
  });

  it("can start with a byte order mark", () => {
    for (const print of [formatTokens, formatDeliveries, formatEndpoints, formatAudit]) {
      expect(print([], { bom: true })).toMatch(/^\ufeff[a-z_,]+\r\n$/);
    }
  });
});
