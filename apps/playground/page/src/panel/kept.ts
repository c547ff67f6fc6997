import { useState } from "react";

/** Something that the browser keeps for the next time. */
export function useKept<T extends string>(key: string, values: readonly T[], first: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const kept = read(key);
    return values.find((one) => one === kept) ?? first;
  });
  const keep = (next: T): void => {
    setValue(next);
    try {
      localStorage.setItem(key, next);
    } catch {
      // A browser that keeps nothing begins anew each time.
    }
  };
  return [value, keep];
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
