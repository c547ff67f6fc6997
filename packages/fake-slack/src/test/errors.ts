// What Slack says, without where.
export const empty = "must be more than 0 characters";
export const noEnum = "must be a valid enum value";
export const noItems = "no less than 1 items allowed";
export const missing = (name: string): string => `missing required field: ${name}`;
export const tooLong = (most: number): string => `must be less than ${most + 1} characters`;
export const tooMany = (most: number): string => `no more than ${most} items allowed`;
export const unknownField = (name: string): string => `invalid additional property: ${name}`;
export const unsupported = (type: string): string => `unsupported type: ${type}`;
