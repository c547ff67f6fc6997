import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DEMO_FILE, KEY_FILE } from "./kept.js";
import { SLACK_FILE } from "./slack-world.js";

const databases = ["media.db", "bot.db"];
const databaseFiles = databases.flatMap((name) => ["", "-wal", "-shm", "-journal", ".key"].map((end) => name + end));
const ownFiles = [DEMO_FILE, KEY_FILE, SLACK_FILE].flatMap((name) => ["", ".new", ".broken"].map((end) => name + end));

/** Deletes what the playground has made in its folder, and nothing else. */
export async function beginAnew(folder: string): Promise<void> {
  await Promise.all([...databaseFiles, ...ownFiles].map((name) => rm(join(folder, name), { force: true })));
}
