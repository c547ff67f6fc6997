// Sums Vitest's reports into one plain line. Fails if a report contains no test.
import { readFileSync } from "node:fs";

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
const sum = (count) => reports.reduce((total, report) => total + report[count], 0);
console.log(`${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed`);
if (reports.some(({ numPassedTests }) => numPassedTests === 0)) process.exitCode = 1;
