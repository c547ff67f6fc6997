// A longer word is not misspelt, it is another.
const MAX_LENGTH = 64;

/** The known word, or words, that were probably meant; undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const typed = word.toLowerCase().split(" ");
  const [best] = known
    .map((candidate) => ({ candidate, distance: distanceInWords(typed, candidate.toLowerCase().split(" ")) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Each word must be near by itself: "projects delete" shares most letters with "projects create", and means another thing. */
function distanceInWords(typed: readonly string[], candidate: readonly string[]): number {
  if (typed.length !== candidate.length) return Number.POSITIVE_INFINITY;
  return candidate.reduce((sum, word, at) => {
    const letters = distance(typed[at] ?? "", word);
    // One letter makes "set" of "get".
    const most = word.length < 4 ? 0 : Math.max(2, Math.floor(word.length / 3));
    return letters <= most ? sum + letters : Number.POSITIVE_INFINITY;
  }, 0);
}

/** How many letters must be changed, added or taken away (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
