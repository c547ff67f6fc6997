import type { World } from "./model.js";

const LINES = 5;

/**
 * Gives the first value of a probe that is something: tried at once and after each change of the world.
 *
 * @throws {Error} where there was none in time.
 */
export function until<T>(world: World, probe: () => T, timeoutMs = 10_000): Promise<NonNullable<T>> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stopListening();
    };
    const attempt = (): void => {
      try {
        const value = probe();
        if (!value) return;
        end();
        resolve(value);
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error("The probe failed.", { cause: error }));
      }
    };
    const timer = setTimeout(() => {
      stopListening();
      reject(
        new Error(`Waited ${timeoutMs} ms for: ${probe.toString()}\nThe last that happened:\n${lastLines(world)}`),
      );
    }, timeoutMs);
    const stopListening = world.onChange(attempt);
    attempt();
  });
}

function lastLines({ transcript }: World): string {
  const lines = transcript.slice(-LINES).map(({ what, name, detail }) => `  ${what} ${name} ${JSON.stringify(detail)}`);
  return lines.map((line) => line.slice(0, 500)).join("\n") || "  nothing";
}
