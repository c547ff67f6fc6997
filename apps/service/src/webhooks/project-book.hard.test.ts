import { createVault } from "@media-ops/secrets";
import { databaseUrl } from "@media-ops/testing";
import type { Kysely } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { createProject, updateProject } from "../projects/projects.js";
import { openStorage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { ProjectBook } from "./project-book.js";
import { removeWebhook, setWebhook } from "./webhooks.js";

const now = Date.parse("2026-04-01T09:30:15.250Z");
const vault = createVault(new Uint8Array(32).fill(7));

/** A book, with another connection to its database that changes it as another process does. */
async function open(projects: readonly string[] = ["demo"]) {
  const url = await databaseUrl();
  const others = await openStorage(url);
  onTestFinished(() => others.close());
  for (const project of projects.slice(0, 1)) await createProject(others.query, project, now);
  if (projects.length > 1) await copyProject(others.query, projects.slice(1));
  const own = await openStorage(url);
  const errors: unknown[] = [];
  const book = await ProjectBook.open(own.query, (error) => errors.push(error));
  onTestFinished(async () => {
    book.close();
    await own.close();
  });
  const address = { projectId: "demo", kind: "event", url: "https://example.com/hooks", now } as const;
  return {
    book,
    query: others.query,
    errors,
    set: (over = {}) => setWebhook(others.query, vault, { ...address, ...over }),
  };
}

/** Adds many projects in one statement. */
async function copyProject(query: Kysely<Tables>, names: readonly string[]): Promise<void> {
  const { version, ...first } = await query.selectFrom("project").selectAll().executeTakeFirstOrThrow();
  const copies = names.map((project_id, at) => ({ ...first, project_id, version: version + 1 + at }));
  await query.insertInto("project").values(copies).execute();
}

it("knows all projects with their addresses, in any number", async () => {
  const names = Array.from({ length: 700 }, (_, at) => `project-${at}`);
  const { book } = await open(names);
  expect(names.map((name) => book.known(name)?.projectId)).toEqual(names);
  expect(book.known("project-7")).toEqual({
    projectId: "project-7",
    createdAt: "2026-04-01T09:30:15.250Z",
    allowAnonymous: false,
    webhooks: {},
  });
});

it("finds a project that was created a moment ago, with its addresses, and nothing for an unknown one", async () => {
  const { book, query, set } = await open();
  await createProject(query, "new", now);
  await set({ projectId: "new" });
  await set({ projectId: "new", kind: "auth" });
  expect(book.known("new")).toBeUndefined();
  expect(await book.find("new")).toMatchObject({ webhooks: { event: { projectId: "new" }, auth: { kind: "auth" } } });
  expect(await book.find("nobody")).toBeUndefined();
});

it("notices changes by other processes", async () => {
  const { book, query, set } = await open();
  expect(book.known("demo")?.webhooks).toEqual({});
  await set();
  await updateProject(query, "demo", { allowAnonymous: true });
  const event = { url: "https://example.com/hooks" };
  await expect.poll(() => book.known("demo")).toMatchObject({ allowAnonymous: true, webhooks: { event } });
  await removeWebhook(query, "demo", "event");
  await expect.poll(() => book.known("demo")?.webhooks).toEqual({});
});

it("serves its cache while the database cannot be read", async () => {
  const { book, query, errors } = await open();
  await query.schema.alterTable("project").renameTo("elsewhere").execute();
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(book.known("demo")).toMatchObject({ projectId: "demo" });
  expect(await book.find("demo")).toMatchObject({ projectId: "demo" });
  await query.schema.alterTable("elsewhere").renameTo("project").execute();
  await createProject(query, "new", now);
  await expect.poll(() => book.known("new")).toMatchObject({ projectId: "new" });
});
