import type { Mishap, World } from "./model.js";

export function addMishap(world: World, method: string, mishap: Mishap, times: number): void {
  const waiting = world.mishaps.get(method) ?? [];
  for (let count = 0; count < times; count += 1) waiting.push(mishap);
  world.mishaps.set(method, waiting);
}

/** What the next call of a method comes upon, if anything; it is over then. */
export function takeMishap(world: World, method: string): Mishap | undefined {
  return world.mishaps.get(method)?.shift();
}
