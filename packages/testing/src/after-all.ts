import { afterAll } from "vitest";

/**
 * Closes the resources of a `beforeAll`, last opened first, after the tests of the file or block in which this is
 * called. Vitest ignores an `afterAll` that is registered while a hook runs.
 */
export function closeAfterAll(): (close: () => unknown) => void {
  const closes: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closes.reverse()) await close();
  });
  return (close) => void closes.push(close);
}
