import { defineConfig } from "vitest/config";

// Set by .ci/run, which counts the tests.
const resultsFile = process.env.TEST_RESULTS;

export default defineConfig({
  test: {
    projects: [
      { test: { name: "house", include: [".ci/*.test.ts"] } },
      { test: { name: "contract", include: ["openapi/*.test.ts"] } },
      // A test collects garbage on purpose.
      { test: { name: "sdk", include: ["packages/sdk/**/*.test.ts"], execArgv: ["--expose-gc"] } },
    ],
    ...(resultsFile && { reporters: ["default", "json"], outputFile: { json: resultsFile } }),
  },
});
