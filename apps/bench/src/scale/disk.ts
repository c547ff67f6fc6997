import { type Result, tell } from "../report.js";
import type { Filled } from "./filled.js";

/** What an entry takes on disk, beside its JSON. */
export function diskResults(filled: readonly Filled[]): Result[] {
  const kinds = [...new Set(filled.map(({ database }) => database.kind))];
  return kinds.flatMap((kind) => {
    const one = filled.find(({ database }) => database.kind === kind);
    if (!one) return [];
    const { json, disk } = one.bytesPerEntry;
    const telling = {
      name: "scale",
      measure: `bytes of an entry on disk, with indexes: ${kind}`,
      against: "its JSON",
      note: `${one.entries} entries of connections, ${one.projects.length} projects`,
    };
    return tell(telling, disk, json);
  });
}
