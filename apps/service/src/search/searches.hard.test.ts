import { it } from "vitest";
import { expectFollowingToBeRight, expectPagesToBeRight, expectWalksToBeStable } from "../test/search-properties.js";

// What the fast suite runs 60 times.
const RUNS = 400;

it("the pages of any search are those of a filter and a sort in memory", () => expectPagesToBeRight(RUNS));

it("a search that is out of time after each piece finds the same", () => expectPagesToBeRight(RUNS, 0));

it("a walk yields each entry once while others are written and indexed", () => expectWalksToBeStable(RUNS));

it("following yields each entry once, in the order of writing", () => expectFollowingToBeRight(RUNS));
