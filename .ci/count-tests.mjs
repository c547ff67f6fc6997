// Turns Vitest's reports into one plain line. A report that holds no test is a failure.
import { readFileSync } from "node:fs";

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
const sum = (count) => reports.reduce((total, report) => total + report[count], 0);
console.log(`${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed`);
if (reports.some(({ numPassedTests }) => numPassedTests === 0)) process.exitCode = 1;
