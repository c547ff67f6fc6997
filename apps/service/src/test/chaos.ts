import type { FakeMedia } from "@media-ops/fake-media";
import { type LogKind, logKinds } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";

/** The most connections in each channel at once, as counted by the media server. */
export function crowdsIn({ sent }: FakeMedia): number[] {
  const ends = sent.filter(({ body }) => body.type === "session.destroyed");
  return ends.map(({ body }) => Number(body.max_connections));
}

/** The entries of all projects' logs of a kind. */
export async function entriesIn(query: Storage["query"], kind: LogKind): Promise<Record<string, unknown>[]> {
  const rows = await query.selectFrom("log_entry").select("entry").where("kind", "=", logKinds[kind].number).execute();
  return rows.map(({ entry }) => JSON.parse(entry));
}
