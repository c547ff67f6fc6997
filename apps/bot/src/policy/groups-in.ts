import type { TokenPolicy } from "./policy.js";

/** The user groups whose members must be known before anything is decided. */
export function groupsIn({ grants, connect }: TokenPolicy): string[] {
  const ids = [...grants.flatMap(({ to }) => to), ...connect];
  return [...new Set(ids.filter((id) => id.startsWith("S")))].sort();
}
