import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { SlackPage } from "./browser.js";

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

// Passed to the browser as text.
const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns axe's violations with the affected elements. */
export async function faultsOf({ page }: Pick<SlackPage, "page">): Promise<string[]> {
  // Colors are final only after fade-ins.
  await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
  await page.evaluate(await axe);
  const { violations } = await page.evaluate<{ violations: Finding[] }>("axe.run()");
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`);
}
