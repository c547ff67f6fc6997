import { testSearches } from "../test/search-properties.js";

// More runs are in the hard suite.
testSearches(60);
