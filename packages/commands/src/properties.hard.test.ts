import fc from "fast-check";
import { afterAll, beforeAll } from "vitest";
import "./language.test.js";
import "./offers.test.js";
import "./operations.test.js";
import "./token-offers.test.js";
import "./watches.test.js";

// The same properties as in the fast suite, with ten times as many inputs.
beforeAll(() => fc.configureGlobal({ numRuns: 1000 }));
afterAll(() => fc.resetConfigureGlobal());
