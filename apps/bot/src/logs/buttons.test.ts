import { LogLevel, WebClient } from "@slack/web-api";
import { describe, expect, it } from "vitest";
import { canShare } from "./buttons.js";

describe("whether a page can be shared", () => {
  it("is no where Slack does not say whose conversation it is, and no reason to show nothing", async () => {
    const slackApiUrl = "http://127.0.0.1:1/api/";
    const slack = new WebClient("planted", { slackApiUrl, retryConfig: { retries: 0 }, logLevel: LogLevel.ERROR });
    expect(await canShare({ slack, userId: "U1", channelId: "D1" })).toBe(false);
  });
});
