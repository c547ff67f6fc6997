import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startTestService } from "../test/harness.js";

const textOf = (name: string) => readFileSync(new URL(`../../../../openapi/${name}`, import.meta.url), "utf8");

describe("the documents", () => {
  it.each([
    ["/openapi.yaml", textOf("media.yaml")],
    // Its references lead to the first one as it is served.
    ["/extensions.yaml", textOf("extensions.yaml").replaceAll("media.yaml#", "openapi.yaml#")],
  ])("%s is served, and not sent again to a client that has it", async (path, text) => {
    const { service } = await startTestService();
    const response = await fetch(service.url + path);
    expect(await response.text()).toBe(text);
    expect(response.headers.get("content-type")).toBe("application/yaml; charset=utf-8");
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(service.url + path, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });
});
