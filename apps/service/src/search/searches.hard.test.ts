import { testSearches } from "../test/search-properties.js";

// What the fast suite runs 60 times.
testSearches(400);
