import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { fastExcept, LEVELS, shared } from "./vitest.config.js";

/** Tests that hold a store's promises, which run on PostgreSQL as well. */
export const STORES = [
  "apps/**/postgres-*.test.ts",
  "apps/bot/src/{claims,installations}.test.ts",
  "apps/bot/src/storage/*.test.ts",
  "apps/bot/src/watches/store.test.ts",
  "apps/service/src/deliveries/find-deliveries.test.ts",
  "apps/service/src/intake/intake-store.test.ts",
  "apps/service/src/keys/keys.test.ts",
  "apps/service/src/logs/{listings,log-store}.test.ts",
  "apps/service/src/{search/segment-store,storage/migrations}.test.ts",
  "apps/service/src/{tokens/revocations,webhooks/webhooks}.test.ts",
];

/** The settings of both slow suites. */
export const slow = defineConfig({
  test: {
    ...shared.test,
    // Many of them mostly wait.
    maxWorkers: availableParallelism() + 1,
    // Several times as long as they take on a machine that does nothing else.
    testTimeout: 240_000,
  },
});

/** Starts one PostgreSQL for the whole run. */
export const WITH_POSTGRES = "./packages/testing/dist/setup.js";

/** The same, and tests then create their stores on it. */
export const ON_POSTGRES = "./packages/testing/dist/on-postgres.js";

const ON_SERVER = "packages/database/src/{database,look,migrations,clock-guard}.test.ts";

// What a change must pass beside the fast suite: crashes, full disks, wrong clocks, the page, the stores on PostgreSQL.
export default defineConfig({
  test: {
    ...slow.test,
    projects: [
      {
        extends: true,
        test: {
          name: "hard",
          include: [LEVELS.hard, "apps/service/src/search/*.properties.test.ts", ON_SERVER],
          env: { TEST_LEVEL: "hard" },
          globalSetup: WITH_POSTGRES,
        },
      },
      {
        extends: true,
        test: {
          name: "stores on PostgreSQL",
          include: STORES,
          exclude: fastExcept("sqlite"),
          globalSetup: ON_POSTGRES,
        },
      },
    ],
  },
});
