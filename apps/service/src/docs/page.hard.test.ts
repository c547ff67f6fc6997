import { contract, extensionOperations, extensionsContract, type Node, operations } from "@media-ops/openapi/contract";
import { launchChromium } from "@media-ops/testing/chromium";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService } from "../test/harness.js";

const membersOf = ({ components }: Node, schema: string): string[] =>
  Object.keys(components?.schemas?.[schema]?.properties ?? {});

describe("GET /docs", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it("shows every operation, lets a reader try one, and loads nothing from other sites", async () => {
    const { service, apiKey } = await startTestService();
    const page = await browser.newPage();
    const foreign: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${service.url}/`))
        foreign.push(request.url());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${service.url}/docs`);
    for (const { path } of operations) await page.getByText(path, { exact: true }).first().waitFor();

    const authorize = async () => {
      await page.getByRole("button", { name: "Authorize" }).first().click();
      await page.getByLabel("auth-bearer-value").fill(apiKey);
      await page.getByRole("button", { name: "Apply credentials" }).click();
      await page.getByRole("button", { name: "Close" }).click();
    };
    await authorize();
    const mint = page.locator("#operations-tokens-createAccessToken");
    await mint.getByRole("button").first().click();
    await mint.getByRole("button", { name: "Execute" }).click();
    await mint
      .getByText(/"access_token": "ey/)
      .first()
      .waitFor();

    await page.getByLabel("Select a definition").selectOption("Extensions");
    for (const { path } of extensionOperations) await page.getByText(path, { exact: true }).first().waitFor();
    await authorize();
    const counting = page.locator("#operations-logs-countLogs");
    const execute = counting.getByRole("button", { name: "Execute" });
    let status: number | undefined;
    page.on("response", (response) => {
      if (/count-logs$/.test(response.url())) status = response.status();
    });
    // The page draws the operations once more, and closed, when it has read what the other document defines: perhaps
    // between a look and a click.
    const count = async (): Promise<number | undefined> => {
      if (await execute.isVisible()) await execute.click({ timeout: 1000 }).catch(() => {});
      else await counting.getByRole("button").first().click();
      return status;
    };
    await expect.poll(count, { interval: 200 }).toBe(200);

    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("shows all members of every listing's request, and of a count's", async () => {
    const { service } = await startTestService();
    const page = await browser.newPage();
    await page.goto(`${service.url}/docs`);
    const shown = async (name: string): Promise<string[]> => {
      const heading = page.locator(".models .json-schema-2020-12-accordion", { hasText: new RegExp(`^${name}$`) });
      await heading.click();
      const schema = heading.locator("xpath=ancestor::article[1]");
      const titles = schema.locator(".json-schema-2020-12-property .json-schema-2020-12__title");
      await titles.first().waitFor();
      return titles.allInnerTexts();
    };
    const requests = ["Session", "Connection", "Api", "MediaApi", "Webhook"].map((kind) => `List${kind}LogsRequest`);
    for (const name of requests) expect(await shown(name), name).toEqual(membersOf(contract, name));
    await page.getByLabel("Select a definition").selectOption("Extensions");
    for (const name of ["ListEventLogsRequest", "CountLogsRequest"]) {
      expect(await shown(name), name).toEqual(membersOf(extensionsContract, name));
    }
    await page.close();
  });
});
