import { CompiledQuery } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { deliveriesQuery } from "./find-deliveries.js";

const START = Date.parse("2100-01-01T00:00:00Z");

it.each([{}, { state: "failed", type: "a.b" }, { since: START }, { since: START, until: START + 1 }] as const)(
  "a search by %j walks along the primary key of each project, and reads nothing else",
  async (filter) => {
    const storage = await openStorage("sqlite::memory:");
    onTestFinished(() => storage.close());
    const { query } = storage;
    const planOf = async ({ sql, parameters }: CompiledQuery): Promise<string[]> => {
      const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      return (await query.executeQuery<{ detail: string }>(explained)).rows.map(({ detail }) => detail);
    };
    const walk = "SEARCH delivery USING PRIMARY KEY (project_id=? AND delivery_id>? AND delivery_id<?)";
    expect(await planOf(deliveriesQuery(query, "demo", filter, 10).compile())).toEqual([walk]);
  },
);
