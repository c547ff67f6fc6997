import { describe, expect, it } from "vitest";
import { createFakeMediaService } from "../testing/index.js";
import { createRawClient } from "./index.js";

describe("the raw client", () => {
  it("calls every operation with the same URL and key, and returns failures", async () => {
    const service = createFakeMediaService();
    const raw = createRawClient(service.clientOptions);
    const good = await raw.POST("/projects/create-access-token", { body: { role: "recvonly" } });
    expect(good.data?.access_token.split(".")).toHaveLength(3);
    const counted = await raw.POST("/orgs/count-logs", { body: { kind: "webhooks" } });
    expect(counted.data).toMatchObject({ complete: true, total: { entries: 0 } });
    const bad = await raw.POST("/orgs/list-api-logs", { body: { project_id: "" } });
    expect(bad.error).toMatchObject({ status: 400, errors: [{ pointer: "/project_id" }] });
  });

  it("needs a key", () => {
    expect(() => createRawClient({ baseUrl: "http://127.0.0.1:1" })).toThrow("apiKey must be given");
  });
});
