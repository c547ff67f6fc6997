type Area = "localStorage" | "sessionStorage";

/** Returns a stored text, or null if there is none or storage is disabled. */
export function stored(area: Area, key: string): string | null {
  try {
    return globalThis[area].getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text, unless storage is disabled. */
export function store(area: Area, key: string, text: string): void {
  try {
    globalThis[area].setItem(key, text);
  } catch {
    // The page works without storage.
  }
}
