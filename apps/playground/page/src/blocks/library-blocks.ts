/**
 * The types of blocks that the library draws: those that have nothing to press in them, load nothing from elsewhere, and
 * no text that it would read as markup where there is none.
 */
export const LIBRARY_BLOCKS: ReadonlySet<string> = new Set([
  "data_visualization",
  "file",
  "markdown",
  "plan",
  "task_card",
]);
