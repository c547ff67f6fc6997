/** After so long without an answer, whoever waits wants to know that something still happens. */
const PATIENCE_MS = 4_000;

/** Waits for an answer, and says so once where it takes long. */
export async function patiently<T>(answer: Promise<T>, sayThatItTakesLong: () => void): Promise<T> {
  const timer = setTimeout(sayThatItTakesLong, PATIENCE_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
