import { describe, expect, it } from "vitest";
import { type SlackPage, useBrowser } from "./test/browser.js";

const { open } = useBrowser();

describe("whoever goes by keys", () => {
  it("is back in the message box when a window closes", async () => {
    const ann = await open("Ann Meyer");
    await ann.type("/media token");
    await ann.modal.waitFor();
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
    await expect.poll(() => hasFocus(ann.box)).toBe(true);
  });

  it("stays among the messages when the one with the pressed button goes", async () => {
    const ann = await open("Ann Meyer");
    const token = await ann.ask("/media token lobby for:5m");
    const before = await ann.messages.count();
    await token.getByRole("button", { name: "Hide" }).press("Enter");
    await expect.poll(() => ann.messages.count()).toBe(before - 1);
    await expect.poll(() => hasFocus(ann.page.getByRole("log"))).toBe(true);
  });
});

describe("whoever hears the page", () => {
  it("is not told every few seconds how long ago something was", async () => {
    const ann = await open("Ann Meyer");
    const answer = await ann.ask("/media logs webhooks last:3");
    const times = answer.getByRole("table").locator("time");
    expect(await times.count()).toBeGreaterThan(0);
    for (const time of await times.all()) expect(await time.getAttribute("aria-live")).toBe("off");
  });

  it("is told which table it is that scrolls", async () => {
    const ann = await open("Ann Meyer");
    const answer = await ann.ask("/media logs webhooks last:3");
    await answer.getByRole("group", { name: /^webhook logs of demo/ }).waitFor();
  });
});

describe("a token", () => {
  it("is copied with one press, and nothing else with it", async () => {
    const ann = await open("Ann Meyer", { permissions: ["clipboard-read", "clipboard-write"] });
    const token = await ann.ask("/media token lobby for:5m");
    await token.getByRole("button", { name: "Copy" }).click();
    await token.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await ann.page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toMatch(/^ey[\w-]+\.ey[\w-]+\.[\w-]+$/);
    expect(await token.textContent()).toContain(copied);
  });
});

describe("the browser's back and forward", () => {
  it("lead to the places and the windows that were looked at", async () => {
    const ann = await open("Ann Meyer");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").waitFor();
    const before = ann.page.url();
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.page.url()).not.toBe(before);
    await ann.page.goBack();
    await expect.poll(() => ann.page.getByRole("radio", { name: "Ann Meyer" }).isChecked()).toBe(true);
    await boxOf(ann, "#incidents").waitFor();
    await ann.page.goBack();
    await boxOf(ann, "#general").waitFor();
    await ann.page.goForward();
    await boxOf(ann, "#incidents").waitFor();
  });

  it("lead back to where the browser was when a person went elsewhere before the page had heard of it", async () => {
    const ann = await open("Ann Meyer");
    const general = await ann.page.evaluate<string>("location.hash");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").waitFor();
    // A browser tells a little later where it has gone.
    await ann.page.evaluate(`history.replaceState(null, "", ${JSON.stringify(general)})`);
    await ann.go("Media Ops");
    await ann.page.getByRole("tabpanel", { name: "Home" }).waitFor();
    await ann.page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))");
    await ann.page.getByRole("tabpanel", { name: "Home" }).waitFor();
    await ann.page.goBack();
    await boxOf(ann, "#general").waitFor();
  });

  it("are followed also while another's window is just being drawn", async () => {
    const ann = await open("Ann Meyer");
    const general = await ann.page.evaluate<string>("location.hash");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").fill("a line of Ann's");
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.box.inputValue()).toBe("");
    const before = await ann.page.evaluate("history.length");
    // The browser goes one step further back in the moment in which the window of the first step is there.
    await ann.page.evaluate(
      `new MutationObserver((_, observer) => {
        observer.disconnect();
        history.replaceState(null, "", ${JSON.stringify(general)});
        dispatchEvent(new HashChangeEvent("hashchange"));
      }).observe(document.getElementById("place"), { childList: true })`,
    );
    await ann.page.goBack();
    await boxOf(ann, "#general").waitFor();
    expect(await ann.page.evaluate("location.hash")).toBe(general);
    expect(await ann.page.evaluate("history.length")).toBe(before);
  });

  it("do not lead to a place that is no more", async () => {
    const ann = await open("Ann Meyer");
    await ann.page.evaluate("location.hash = location.hash.replace(/[^/]+$/, 'C-gone')");
    // The page hears of it a little later.
    await ann.page.evaluate("new Promise((heard) => setTimeout(heard))");
    expect(await boxOf(ann, "#general").isVisible()).toBe(true);
  });
});

describe("a line that is being written", () => {
  it("is its writer's alone, and still there in their window", async () => {
    const ann = await open("Ann Meyer");
    await ann.box.fill("only for me");
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.box.inputValue()).toBe("");
    await ann.lookAs("Ann Meyer");
    await expect.poll(() => ann.box.inputValue()).toBe("only for me");
    await ann.box.fill("");
  });

  it("is there again when the playground did not take it", async () => {
    const ann = await open("Ann Meyer");
    await ann.page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'))");
    await ann.type("not to be typed twice");
    await ann.page.getByText("The playground did not answer").waitFor();
    await expect.poll(() => ann.box.inputValue()).toBe("not to be typed twice");
  });
});

function boxOf({ page }: SlackPage, place: string) {
  return page.getByRole("combobox", { name: `Message ${place}` });
}

function hasFocus(element: SlackPage["box"]): Promise<boolean> {
  return element.evaluate((node) => node.matches(":focus"));
}
