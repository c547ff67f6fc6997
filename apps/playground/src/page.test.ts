import { expect, it } from "vitest";
import { useBrowser } from "./test/browser.js";

const { open } = useBrowser();

it("the page answers a command and opens a window", async () => {
  const ann = await open("Ann Meyer");
  const answer = await ann.ask("/media logs webhooks last:3");
  await expect.poll(() => answer.getByRole("table").getByRole("row").count()).toBe(4);
  await ann.type("/media token");
  await ann.modal.getByRole("textbox", { name: /^Channel/ }).waitFor();
});
