import { defineConfig } from "vite";

export default defineConfig({
  // Relative URLs let the page be served below a path.
  base: "./",
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2022",
    // The chart library includes all emoji. It is a separate chunk, served from this machine.
    chunkSizeWarningLimit: 1000,
  },
});
