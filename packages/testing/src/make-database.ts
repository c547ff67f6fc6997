import { randomBytes } from "node:crypto";
import { Client } from "pg";

/** A database on a server, made for a while. */
export interface MadeDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes a new, empty database on a server. */
export async function makeDatabase(serverUrl: string): Promise<MadeDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await connected(serverUrl, async (client) => {
    const { rows } = await client.query(
      "select current_setting('server_version_num')::integer >= 150000 as has_strategy",
    );
    // The faster way by far, and the only one before PostgreSQL 15.
    const strategy = rows[0].has_strategy ? "strategy file_copy" : "";
    // Whatever the server gives to all its databases is not in template0.
    await client.query(`create database ${name} template template0 ${strategy}`);
  });
  const url = new URL(serverUrl);
  url.pathname = name;
  // Whoever is still connected, such as a process that was killed, does not keep it.
  const drop = () => connected(serverUrl, (client) => client.query(`drop database ${name} with (force)`));
  return { url: url.href, drop };
}

async function connected(serverUrl: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
