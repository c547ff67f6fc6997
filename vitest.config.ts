import { configDefaults, defineConfig } from "vitest/config";

// Set by .ci/run, which counts the tests.
const resultsFile = process.env.TEST_RESULTS;

/** What only `pnpm test:hard` and `pnpm test:nightly` run, and tests that start a Citus cluster. */
export const LEVELS = { hard: "**/*.hard.test.ts", nightly: "**/*.nightly.test.ts", citus: "**/citus-*.test.ts" };

/** The settings of all suites. */
export const shared = defineConfig({
  test: {
    // Reloading the modules for each file would take longer than the tests do.
    isolate: false,
    // Built packages are imported as they are.
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    // Long enough for a busy machine. Passing tests are not slowed down.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 25_000 } },
    maxWorkers: "100%",
    ...(resultsFile && { reporters: ["default", "json"], outputFile: { json: resultsFile } }),
  },
});

/** Excludes the tests of other levels, and those of one database. */
export const fastExcept = (database: "sqlite" | "postgres"): string[] => [
  ...configDefaults.exclude,
  ...Object.values(LEVELS),
  `**/${database}-*.test.ts`,
];

const project = (name: string, include: string, options = {}) => ({
  extends: true as const,
  test: { name, include: [include], exclude: fastExcept("postgres"), ...options },
});

export default defineConfig({
  test: {
    ...shared.test,
    projects: [
      project("house", ".ci/house.test.ts"),
      project("contract", "{openapi,packages/contract}/**/*.test.ts"),
      project("tokens", "packages/tokens/**/*.test.ts"),
      project("database", "packages/database/**/*.test.ts"),
      project("secrets", "packages/{secrets,settings,public-addresses,testing}/**/*.test.ts"),
      project("fakes", "packages/fake-*/**/*.test.ts"),
      project("commands", "packages/commands/**/*.test.ts"),
      project("formatters", "packages/{reports,formatters}/**/*.test.ts"),
      project("cli", "apps/cli/**/*.test.ts"),
      project("bot", "apps/bot/**/*.test.ts"),
      project("playground", "apps/playground/**/*.test.{ts,tsx}"),
      project("service", "apps/service/**/*.test.ts"),
      // One of its tests triggers garbage collection.
      project("sdk", "packages/sdk/**/*.test.ts", { execArgv: ["--expose-gc"] }),
    ],
  },
});
