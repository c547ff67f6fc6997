// A longer name is not misspelt, it is another.
const MAX_LENGTH = 63;

/** The project that was probably meant; undefined where none is near. */
export function nearestProject(typed: string, projects: readonly string[]): string | undefined {
  if (typed.length === 0 || typed.length > MAX_LENGTH) return undefined;
  const [best] = projects
    .map((project) => ({ project, slips: slips(typed.toLowerCase(), project.toLowerCase()) }))
    .filter(({ project, slips }) => slips <= Math.floor(Math.max(typed.length, project.length) / 3))
    .sort((a, b) => a.slips - b.slips);
  return best?.project;
}

/** How many letters must be changed, added, left out or swapped with their neighbour. */
function slips(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const ways = [
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        ...(isSwapped ? [at(beforeLast, column - 2) + 1] : []),
      ];
      next.push(Math.min(...ways));
    }
    beforeLast = last;
    last = next;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
