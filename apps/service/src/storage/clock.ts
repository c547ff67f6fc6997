import { ClockGuard, type PauseWords } from "@media-ops/database";
import type { Surroundings } from "../config/surroundings.js";
import { newestEntry } from "../logs/retention.js";
import type { Storage } from "./open-storage.js";

/** What the service, `media-ops doctor` and `media-ops retention` say of a pause. */
export const pauseWords: PauseWords = {
  program: "service",
  goesOn: "once the media server's timestamps have agreed with the clock for a day",
  confirm: "If it is right: media-ops retention confirm.",
};

/** What the clock of the service is checked with. */
interface ClockSurroundings extends Pick<Surroundings, "log" | "now"> {
  readonly storage: Storage;
}

/** Decides by what time the service may delete data. */
export const createClockGuard = ({ storage: { query }, log, now }: ClockSurroundings): ClockGuard =>
  new ClockGuard({ ...pauseWords, query, table: "setting", log, now, newest: () => newestEntry(query) });
