import { expect, it } from "vitest";
import { auditStatement, listAudit } from "../audit/audit.js";
import { listDeliveries } from "../deliveries/find-deliveries.js";
import { enqueue } from "../test/enqueue.js";
import { openTestStorage } from "../test/harness.js";
import { listTokens, type TokenPlace, tokensEndedBy } from "../tokens/issued-tokens.js";
import { storedRevocations } from "../tokens/revocations.js";
import { unhurried } from "./along.js";

const now = Date.parse("2090-01-01T00:00:00Z");
/** The turns of a read whose time is over. */
const late = { ...unhurried, isOver: true };

/** Reads all pages of a list whose time is always over; returns their rows, and how many pages there were. */
async function readParts<Row, Next>(
  read: (next: Next | undefined) => Promise<{ rows: readonly Row[]; next: Next | undefined }>,
) {
  const rows: Row[] = [];
  let pages = 0;
  let next: Next | undefined;
  do {
    const page = await read(next);
    rows.push(...page.rows);
    next = page.next;
    pages += 1;
  } while (next !== undefined && pages < 100);
  return { rows, pages };
}

const numbers = Array.from({ length: 1200 }, (_, n) => n);

it.each(["newest", "oldest"] as const)("deliveries that few match are listed in parts, the %s first", async (order) => {
  const storage = await openTestStorage();
  const typeOf = (n: number) => (n % 400 === 7 ? "rare" : "a.b");
  await enqueue(
    storage,
    numbers.map((n) => ({ projectId: "demo", eventId: `e${n}`, type: typeOf(n), lane: "", body: "{}" })),
    { now, owner: "x" },
  );
  const list = (work: typeof late, next?: string) =>
    listDeliveries({ query: storage.query, work }, "demo", {
      filter: { type: "rare" },
      after: next,
      limit: 10,
      order,
    });
  const all = ["e807", "e407", "e7"];
  const { rows, pages } = await readParts<{ eventId: string }, string>((next) => list(late, next));
  expect(rows.map(({ eventId }) => eventId)).toEqual(order === "newest" ? all : all.reverse());
  expect(pages).toBeGreaterThan(1);
  expect(await list(unhurried)).toEqual({ rows, next: undefined });
});

it("entries of the audit log that few match are listed in parts", async () => {
  const { query, writeAll } = await openTestStorage();
  const entryOf = (n: number) => ({
    timestamp: new Date(now + n).toISOString(),
    action: n % 400 === 7 ? "rare" : "token.revoke",
    outcome: "done" as const,
    detail: String(n),
  });
  await writeAll(numbers.map((n) => auditStatement(query, "demo", entryOf(n))));
  const list = (work: typeof late, before?: string) =>
    listAudit(query, work, { projectId: "demo", action: "rare", before, limit: 10 });
  const { rows, pages } = await readParts((next: string | undefined) => list(late, next));
  expect(rows.map(({ entry }) => entry.detail)).toEqual(["807", "407", "7"]);
  expect(pages).toBeGreaterThan(1);
  expect(await list(unhurried)).toEqual({ rows, next: undefined });
});

it("tokens that few match are listed in parts, and those that a revocation ends are counted as far as the time allows", async () => {
  const { query } = await openTestStorage();
  for (const n of numbers.slice(0, 200)) {
    const token = {
      jwt_id: `t${n}`,
      key_id: "k",
      issued_at: now + n * 500,
      channel_id: n % 60 === 7 ? "rare@demo" : "lobby@demo",
    };
    const batch = { project_id: "demo", second: Math.floor(token.issued_at / 1000), batch_id: `b${n}`, jwt_id: null };
    await query
      .insertInto("token_batch")
      .values({ ...batch, last_end: null, tokens: JSON.stringify([token]) })
      .execute();
  }
  const revocations = storedRevocations(query);
  const reading = (work: typeof late) => ({ query, projectId: "demo", revocations, work, now: now + 1e6 });
  const list = async (work: typeof late, after?: TokenPlace) => {
    const { tokens, next } = await listTokens(reading(work), { channelId: "rare@demo", after }, 10);
    return { rows: tokens, next };
  };
  const { rows, pages } = await readParts((next: TokenPlace | undefined) => list(late, next));
  expect(rows.map(({ jwt_id }) => jwt_id)).toEqual(["t187", "t127", "t67", "t7"]);
  expect(pages).toBeGreaterThan(1);
  expect(await list(unhurried)).toEqual({ rows, next: undefined });

  const which = { channelId: "lobby@demo", issuedBefore: now + 1e6 };
  expect(await tokensEndedBy(reading(unhurried), which)).toMatchObject({ count: 196, countedSince: undefined });
  const { count, countedSince = 0 } = await tokensEndedBy(reading(late), which);
  const since = numbers.slice(0, 200).filter((n) => n % 60 !== 7 && now + n * 500 >= countedSince);
  expect([count, count > 0 && count < 100]).toEqual([since.length, true]);
});
