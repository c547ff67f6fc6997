import { randomBytes } from "node:crypto";

// Made anew for each run, whose databases do not outlive it.
const masterKey = randomBytes(32).toString("base64");

/** The settings with which programs of one run share a database. */
export const settingsOf = (databaseUrl: string) => ({ MEDIA_DATABASE_URL: databaseUrl, MEDIA_MASTER_KEY: masterKey });
