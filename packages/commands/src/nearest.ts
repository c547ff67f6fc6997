// Longer words are no slips of the finger, and comparing them costs the square of their length.
const LONGEST = 40;

/** The candidate that a word most likely was meant to be; undefined where none is near. */
export function nearestOf(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length === 0 || typed.length > LONGEST) return undefined;
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    // Of equally near ones, letters that have changed places are likelier than letters too many.
    const distance = distanceTo(candidate, typed) + Math.abs(candidate.length - typed.length) / 100;
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** The candidate that a word most likely was meant to be, if no other could be meant as well. */
export function onlyNearest(word: string, candidates: readonly string[]): string | undefined {
  const nearest = nearestOf(word, candidates);
  if (nearest === undefined) return undefined;
  const typed = word.toLowerCase();
  const isOnly = candidates.every(
    (other) => other === nearest || slips(other, typed) > slips(nearest, typed) + 1 || nearest.startsWith(typed),
  );
  return isOnly ? nearest : undefined;
}

function distanceTo(candidate: string, typed: string): number {
  // Whoever has begun a word is nearer to it than whoever has mistyped another. Two letters are a word of their own: me.
  if (typed.length >= 3 && candidate.startsWith(typed)) return 0.5;
  const distance = slips(candidate.toLowerCase(), typed);
  const allowed = typed.length < 4 ? 0 : typed.length < 5 ? 1 : typed.length < 9 ? 2 : 3;
  return distance <= allowed ? distance : Number.POSITIVE_INFINITY;
}

/** How many letters must be added, left out, changed or swapped with their neighbour (optimal string alignment). */
export function slips(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let least = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1));
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) least = Math.min(least, at(beforeLast, column - 2) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
