import type { Result } from "../report.js";
import type { Filled } from "./filled.js";

/** What an entry takes on disk, beside its JSON. */
export function diskResults(filled: readonly Filled[]): Result[] {
  const kinds = [...new Set(filled.map(({ database }) => database.kind))];
  return kinds.flatMap((kind) => {
    const one = filled.find(({ database }) => database.kind === kind);
    if (!one) return [];
    const { json, disk } = one.bytesPerEntry;
    return {
      name: "scale",
      measure: `bytes of an entry on disk, with indexes: ${kind}`,
      against: "its JSON",
      ours: disk,
      theirs: json,
      ratio: disk / json,
      goal: null,
      met: null,
      note: `${one.entries} entries of connections, ${one.projects.length} projects`,
    };
  });
}
