import type { Stage } from "./stage.js";

/** Connects another project of the stage's service in the window, as an admin. */
export const connectProject = (
  { connectDemo, ann, general }: Stage,
  project: "other" | "third",
  reach: "In the whole workspace" | "Only for commands that name it",
): Promise<void> => connectDemo(ann, general, project, { "Use it for commands that name no project": reach });
