import { configDefaults, defineConfig } from "vitest/config";

// Set by .ci/run, which counts the tests.
const resultsFile = process.env.TEST_RESULTS;

// Both start a real PostgreSQL, one for the whole run. With the second, all tests of a project run on it.
const withPostgres = "./packages/test-databases/dist/setup.js";
const onPostgres = "./packages/test-databases/dist/on-postgres.js";

/** The tests that take long, and run by themselves: `pnpm test:hard`. */
export const HARD_TESTS = "**/*.hard.test.ts";

// What a file is about stands at the beginning of its name, where it is one of the databases.
const notAbout = (database: "sqlite" | "postgres"): string[] => [
  ...configDefaults.exclude,
  HARD_TESTS,
  `**/${database}-*.test.ts`,
];

export default defineConfig({
  test: {
    // Long enough for a machine that does much else; a test that passes does not wait for it.
    testTimeout: 30_000,
    exclude: [...configDefaults.exclude, HARD_TESTS],
    expect: { poll: { timeout: 10_000 } },
    // Most tests wait for other processes much of their time: no core is to stand idle for the one that shows the results.
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "house", include: [".ci/house.test.ts"] } },
      { extends: true, test: { name: "publish", include: [".ci/publish-*.test.ts"] } },
      { extends: true, test: { name: "docs", include: [".ci/docs/*.test.ts"] } },
      { extends: true, test: { name: "contract", include: ["openapi/src/*.test.ts"] } },
      { extends: true, test: { name: "tokens", include: ["packages/tokens/**/*.test.ts"] } },
      {
        extends: true,
        test: { name: "test-databases", include: ["packages/test-databases/**/*.test.ts"], globalSetup: withPostgres },
      },
      {
        extends: true,
        test: { name: "database", include: ["packages/database/**/*.test.ts"], globalSetup: withPostgres },
      },
      { extends: true, test: { name: "secrets", include: ["packages/secrets/**/*.test.ts"] } },
      { extends: true, test: { name: "public-addresses", include: ["packages/public-addresses/**/*.test.ts"] } },
      { extends: true, test: { name: "settings", include: ["packages/settings/**/*.test.ts"] } },
      { extends: true, test: { name: "fake-media", include: ["packages/fake-media/**/*.test.ts"] } },
      { extends: true, test: { name: "fake-slack", include: ["packages/fake-slack/**/*.test.ts"] } },
      { extends: true, test: { name: "commands", include: ["packages/commands/**/*.test.ts"] } },
      { extends: true, test: { name: "formatters", include: ["packages/formatters/**/*.test.ts"] } },
      { extends: true, test: { name: "cli", include: ["apps/cli/**/*.test.ts"] } },
      {
        extends: true,
        test: { name: "bot", include: ["apps/bot/**/*.test.ts"], exclude: notAbout("postgres") },
      },
      {
        extends: true,
        test: {
          name: "bot on PostgreSQL",
          // What is kept, and what several bots share. The rest asks the same of the same database.
          include: [
            "apps/bot/**/postgres-*.test.ts",
            "apps/bot/src/connections/connections.test.ts",
            "apps/bot/src/{installations,once,storage}/*.test.ts",
            "apps/bot/src/tokens/mintings.test.ts",
            "apps/bot/src/trust/{repeats,several-bots,shared-database}.test.ts",
          ],
          exclude: notAbout("sqlite"),
          globalSetup: onPostgres,
        },
      },
      { extends: true, test: { name: "playground", include: ["apps/playground/**/*.test.{ts,tsx}"] } },
      {
        extends: true,
        test: { name: "service", include: ["apps/service/**/*.test.ts"], exclude: notAbout("postgres") },
      },
      {
        extends: true,
        test: {
          name: "service on PostgreSQL",
          // What is kept, and what several processes share. The rest asks the same of the same stores.
          include: [
            "apps/service/**/postgres-*.test.ts",
            "apps/service/src/admission/{crowd,max-connections,seats,wrong-clock}.test.ts",
            "apps/service/src/deliveries/{find-deliveries,put-back,wrong-clock}.test.ts",
            "apps/service/src/intake/{batch-order,intake,intake.properties,leap-second}.test.ts",
            "apps/service/src/keys/keys.test.ts",
            "apps/service/src/cli/retention.test.ts",
            "apps/service/src/logs/{cached-log-store,log-store}.test.ts",
            "apps/service/src/storage/clock.test.ts",
            "apps/service/src/webhooks/{project-book,webhooks}.test.ts",
          ],
          exclude: notAbout("sqlite"),
          globalSetup: onPostgres,
        },
      },
      // A test collects garbage on purpose.
      { extends: true, test: { name: "sdk", include: ["packages/sdk/**/*.test.ts"], execArgv: ["--expose-gc"] } },
    ],
    ...(resultsFile && { reporters: ["default", "json"], outputFile: { json: resultsFile } }),
  },
});
