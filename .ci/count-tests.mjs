// Turns Vitest's report into one plain line. A report that holds no test is a failure.
import { readFileSync } from "node:fs";

const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
if (numPassedTests === 0) process.exitCode = 1;
