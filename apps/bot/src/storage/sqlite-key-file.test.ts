import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../test/storage.js";
import { openStorage } from "./open-storage.js";

it("a new file gets a master key beside it that only its owner can read, and opens again with it", async () => {
  const file = join(await temporaryFolder(), "data", "bot.db");
  const settings = { databaseUrl: `sqlite:${file}`, masterKey: undefined, masterKeyFile: undefined };
  const first = await openStorage(settings);
  const sealed = await first.vault.seal("secret", "test");
  await first.close();
  expect((await stat(`${file}.key`)).mode & 0o777).toBe(0o600);
  const again = await openStorage(settings);
  onTestFinished(() => again.close());
  expect(await again.vault.open(sealed, "test")).toBe("secret");
});
