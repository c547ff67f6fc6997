/**
 * The statuses of all that failed, as a filter takes them. A receiver that never answered has the status 0, which
 * `status>=400` misses.
 */
export const FAILED = "0,4xx,5xx";

/** The filter that finds everything that failed. */
export const failedFilter = `status:${FAILED}`;
