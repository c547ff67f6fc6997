import { databaseUrl } from "@media-ops/test-databases";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { openLogs } from "../storage/stores.js";
import type { NewEntry } from "./log-store.js";

const timestamp = "2026-04-01T09:30:15Z";
const entry = (projectId: string, url: string): NewEntry => {
  return { projectId, kind: "api", timestamp, text: JSON.stringify({ timestamp, url }) };
};

it("entries of which nobody knows whether they were written are written once, also where several are alike", async () => {
  const storage = await openStorage(await databaseUrl());
  onTestFinished(() => storage.close());
  const logs = await openLogs(storage, () => Date.parse(timestamp));
  const urls = async (projectId: string): Promise<string[]> => {
    const entries: { url: string }[] = JSON.parse((await logs.list(projectId, "api")).body.toString());
    return entries.map(({ url }) => url).reverse();
  };
  await logs.append([entry("one", "/a"), entry("one", "/a"), entry("two", "/c")]);
  // As when the connection breaks after the commit, and before the answer; and some have come since.
  const all = [entry("one", "/a"), entry("one", "/a"), entry("one", "/a"), entry("two", "/c"), entry("two", "/d")];
  await logs.append(all, { again: true });
  expect(await urls("one")).toEqual(["/a", "/a", "/a"]);
  expect(await urls("two")).toEqual(["/c", "/d"]);
  await logs.append(all, { again: true });
  expect(await urls("one")).toHaveLength(3);
  expect(await urls("two")).toHaveLength(2);
});
