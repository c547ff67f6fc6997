// docs/operating.md says: media-ops is `npx -y pnpm@12 media-ops` in a clone.
process.argv.splice(2, 0, "-y", "pnpm@12", "media-ops");
await import("./npx.mjs");
