/**
 * What belongs to each project, in the order of the projects: whoever locks what is theirs one after another, and in the
 * same order as everybody, is never waited for by whom it waits for.
 */
export function byProject<Item>(
  items: readonly Item[],
  projectOf: (item: Item) => string,
): (readonly [projectId: string, own: readonly Item[]])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const own = groups.get(projectOf(item));
    if (own) own.push(item);
    else groups.set(projectOf(item), [item]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}
