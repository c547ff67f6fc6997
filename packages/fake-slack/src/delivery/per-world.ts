import type { World } from "../world/model.js";

/** What one part of the fake remembers of a world, and the others need not know. */
export function perWorld<Kept>(create: (world: World) => Kept): (world: World) => Kept {
  const kept = new WeakMap<World, Kept>();
  return (world) => {
    const known = kept.get(world);
    if (known !== undefined) return known;
    const made = create(world);
    kept.set(world, made);
    return made;
  };
}
