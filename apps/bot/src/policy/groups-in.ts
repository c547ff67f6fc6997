import type { TokenPolicy } from "./policy.js";

/** The user groups whose members must be known before anything is decided. */
export function groupsIn({ grants, connect, guests }: TokenPolicy): string[] {
  const ids = [...grants.flatMap(({ to }) => to), ...connect, ...guests];
  return [...new Set(ids.filter((id) => id.startsWith("S")))].sort();
}
