import { slips } from "@media-ops/commands";

// A longer name is not misspelt, it is another.
const MAX_LENGTH = 63;

/** The project that was probably meant; undefined where none is near. */
export function nearestProject(typed: string, projects: readonly string[]): string | undefined {
  if (typed.length === 0 || typed.length > MAX_LENGTH) return undefined;
  const [best] = projects
    .map((project) => ({ project, count: slips(typed.toLowerCase(), project.toLowerCase()) }))
    .filter(({ project, count }) => count <= Math.floor(Math.max(typed.length, project.length) / 3))
    .sort((a, b) => a.count - b.count);
  return best?.project;
}
