import { defineConfig } from "vitest/config";

// Set by .ci/run, which counts the tests.
const resultsFile = process.env.TEST_RESULTS;

export default defineConfig({
  test: {
    // Long enough for a machine that does much else; a test that passes does not wait for it.
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      { extends: true, test: { name: "house", include: [".ci/house.test.ts"] } },
      { extends: true, test: { name: "publish", include: [".ci/publish-*.test.ts"] } },
      { extends: true, test: { name: "docs", include: [".ci/docs/*.test.ts"] } },
      { extends: true, test: { name: "contract", include: ["openapi/src/*.test.ts"] } },
      { extends: true, test: { name: "tokens", include: ["packages/tokens/**/*.test.ts"] } },
      { extends: true, test: { name: "database", include: ["packages/database/**/*.test.ts"] } },
      { extends: true, test: { name: "secrets", include: ["packages/secrets/**/*.test.ts"] } },
      { extends: true, test: { name: "public-addresses", include: ["packages/public-addresses/**/*.test.ts"] } },
      { extends: true, test: { name: "settings", include: ["packages/settings/**/*.test.ts"] } },
      { extends: true, test: { name: "fake-media", include: ["packages/fake-media/**/*.test.ts"] } },
      { extends: true, test: { name: "fake-slack", include: ["packages/fake-slack/**/*.test.ts"] } },
      { extends: true, test: { name: "commands", include: ["packages/commands/**/*.test.ts"] } },
      { extends: true, test: { name: "formatters", include: ["packages/formatters/**/*.test.ts"] } },
      { extends: true, test: { name: "cli", include: ["apps/cli/**/*.test.ts"] } },
      { extends: true, test: { name: "bot", include: ["apps/bot/**/*.test.ts"] } },
      { extends: true, test: { name: "playground", include: ["apps/playground/**/*.test.{ts,tsx}"] } },
      { extends: true, test: { name: "service", include: ["apps/service/**/*.test.ts"] } },
      // A test collects garbage on purpose.
      { extends: true, test: { name: "sdk", include: ["packages/sdk/**/*.test.ts"], execArgv: ["--expose-gc"] } },
    ],
    ...(resultsFile && { reporters: ["default", "json"], outputFile: { json: resultsFile } }),
  },
});
