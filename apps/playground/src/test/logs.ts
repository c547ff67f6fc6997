import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { listings } from "../demo/visitors.js";
import type { Playground } from "../playground.js";

const entries = z.array(
  z.looseObject({ timestamp: z.string(), status: z.int().optional(), url: z.string().optional() }),
);

/** Returns the API key from its file. */
export async function keyOf({ keyFile }: Playground): Promise<string> {
  return (await readFile(keyFile, "utf8")).trim();
}

/** Returns the entries of a log from the service's API, newest first. */
export async function list(playground: Playground, path: (typeof listings)[number]): Promise<z.infer<typeof entries>> {
  const headers = { authorization: `Bearer ${await keyOf(playground)}` };
  const response = await fetch(playground.serviceUrl + path, { method: "POST", headers });
  if (!response.ok) throw new Error(`${path} answered with ${response.status}.`);
  return entries.parse(await response.json());
}
