import type { Stage } from "./stage.js";

/** Connects another project of the stage's service in the window, as an admin. */
export async function connectProject(
  { slack, ann, general, service }: Stage,
  project: "other" | "third",
  reach: "In the whole workspace" | "Only for commands that name it",
): Promise<void> {
  await ann.command("/media connect", { in: general });
  await slack.until(() => ann.modal?.submit);
  const entries = { Address: service.url, Project: project, "API key": service.project(project).apiKey };
  await ann.submit({ ...entries, "Use it for commands that name no project": reach });
  await slack.until(() => ann.modal?.title === "Connected");
  await ann.close();
}
