// For Chromium, where the page is told from outside when to start.
import { smoke } from "./smoke.mjs";

globalThis.smoke = smoke;
