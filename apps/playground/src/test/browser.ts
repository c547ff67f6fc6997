import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium } from "@media-ops/testing/chromium";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterEach, beforeAll, expect, onTestFinished } from "vitest";
import { type IncidentPace, USUAL_INCIDENT } from "../demo/live.js";
import { type Playground, startPlayground } from "../playground.js";
import { anyPorts } from "../ports.js";

/** Whether the pictures in the README are drawn again, instead of only compared. */
export const isDrawing = process.env.PICTURE !== undefined;

// As a watch measures over 10 s at least, failures that last as long are seen by each that looks every 20 s, as on a busy
// machine. Pictures show the usual pace.
const incidentPace: IncidentPace = isDrawing
  ? USUAL_INCIDENT
  : { failsMs: 10_000, recoversMs: 25_000, visitEveryMs: 50, watchedOver: "10s" };

type PageName = "Ann Meyer" | "Bob Ortiz";

// Shorter than the test timeout, so that the error names the missing element.
const WAIT_MS = 45_000;

/** Starts a playground and a browser for all tests of a file. A test fails if a page logs an error. */
export function useBrowser() {
  let playground: Playground;
  let browser: Browser;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "playground-page-"));
    playground = await startPlayground({ folder, ports: anyPorts, env: {}, incidentPace, report: () => {} });
    browser = await launchChromium();
    return async () => {
      await browser.close();
      await playground.stop();
      await rm(folder, { recursive: true, force: true });
    };
  });

  const wrong: string[] = [];
  afterEach(() => expect(wrong.splice(0)).toEqual([]));
  /** Notes requests to elsewhere, and errors. */
  const observe = (page: Page, url: string): void => {
    page.on("request", (request) => {
      const isOwn = /^(data|blob):/.test(request.url()) || request.url().startsWith(`${url}/`);
      if (!isOwn) wrong.push(`a request to ${request.url()}`);
    });
    page.on("pageerror", (error) => void wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  };
  const openWindow = async (name: PageName, options: BrowserContextOptions = {}): Promise<SlackPage> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    observe(page, playground.url ?? "");
    await page.goto(playground.url ?? "");
    const window = slackPage(page);
    await window.lookAs(name);
    return window;
  };
  const kept = new Map<PageName, SlackPage>();
  return {
    playground: () => playground,
    /** The window of a person at the channel "general", which stays open for the tests that follow. */
    async open(name: PageName): Promise<SlackPage> {
      const window = kept.get(name) ?? (await openWindow(name));
      kept.set(name, window);
      // What a failed test left open must not fail those that follow.
      for (const _ of await window.page.locator("dialog[open]").all()) await window.page.keyboard.press("Escape");
      // An open thread closes with its place.
      if ((await window.thread.count()) > 0) await window.go("incidents");
      await window.go("general");
      await boxOf(window, "#general").waitFor();
      return window;
    },
    /** Opens a window that is closed after the test. */
    async openNew(name: PageName, options?: BrowserContextOptions): Promise<SlackPage> {
      const window = await openWindow(name, options);
      onTestFinished(() => window.page.context().close());
      return window;
    },
  };
}

/** A person's view of Slack, with actions. */
export type SlackPage = ReturnType<typeof slackPage>;

function slackPage(page: Page) {
  const box = page.getByRole("textbox", { name: /^Message / });
  const modal = page.getByRole("dialog");
  const thread = page.getByRole("complementary", { name: "Thread" });
  // Newest last. By role, they are found slowly in a conversation of tables.
  const messages = page.locator('[role="log"][aria-label^="Messages in "] article');
  const type = async (line: string, at = box): Promise<void> => {
    await at.fill(line);
    // Closes the suggestions.
    await at.press("Escape");
    await at.press("Enter");
  };
  /** Performs an action, and returns the message that it adds. */
  const next = async (act: () => Promise<void>): Promise<Locator> => {
    const before = await messages.count();
    await act();
    const message = messages.nth(before);
    await message.waitFor();
    return message;
  };
  return {
    ...{ page, box, modal, thread, messages, type, next },
    /** The messages of the open thread: first the one that begins it. */
    replies: thread.getByRole("article"),
    go: (place: string) => page.getByRole("navigation").getByRole("button", { name: place }).click(),
    /** Types a command, and returns the message that answers it. */
    ask: (line: string) => next(() => type(line)),
    reply: (text: string) => type(text, thread.getByRole("textbox", { name: "Reply in the thread" })),
    async lookAs(name: string): Promise<void> {
      await page.getByRole("radiogroup", { name: "Whose window" }).getByText(name, { exact: true }).click();
      await expect.poll(() => page.getByRole("radio", { name }).isChecked()).toBe(true);
      await page.locator('#conversation[aria-busy="false"]').waitFor();
      await box.waitFor();
    },
    async openThread(message: Locator): Promise<void> {
      await message.hover();
      await message.getByRole("button", { name: "Reply in thread" }).click();
      await thread.waitFor();
    },
    async closeModal(): Promise<void> {
      await page.keyboard.press("Escape");
      await expect.poll(() => modal.count()).toBe(0);
    },
  };
}

/** The box in which messages to a place are written. */
export const boxOf = ({ page }: Pick<SlackPage, "page">, place: string): Locator =>
  page.getByRole("textbox", { name: `Message ${place}` });

/** Checks that a picture in the README has the size of the page, and is small. With PICTURE=1, it is drawn again. */
export async function checkPicture({ page }: Pick<SlackPage, "page">, name: string): Promise<void> {
  const picture = join(import.meta.dirname, "../../../../docs/images", name);
  const drawn = await page.screenshot(isDrawing ? { path: picture } : {});
  const kept = await readFile(picture);
  // The PNG's width and height.
  expect(kept.subarray(16, 24)).toEqual(drawn.subarray(16, 24));
  expect(Math.max(kept.length, drawn.length)).toBeLessThan(150_000);
}

interface Violation {
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
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`);
}
