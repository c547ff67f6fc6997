import { configDefaults, defineConfig } from "vitest/config";
import { HARD_TESTS } from "./vitest.config.js";

const resultsFile = process.env.TEST_RESULTS;

// The tests that take long: crashes, clocks, floods, full disks. Those that need PostgreSQL ask for it by `postgresUrl`.
export default defineConfig({
  test: {
    name: "hard",
    include: [`apps/${HARD_TESTS}`, `packages/${HARD_TESTS}`],
    exclude: configDefaults.exclude,
    globalSetup: "./packages/test-databases/dist/setup.js",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: "100%",
    ...(resultsFile && { reporters: ["default", "json"], outputFile: { json: resultsFile } }),
  },
});
