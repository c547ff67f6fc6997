import { defineConfig } from "vite";

export default defineConfig({
  // Addresses are relative: the page may be served below a path.
  base: "./",
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2022",
    // What draws charts and Markdown brings all emoji along; it is loaded apart, and from this machine.
    chunkSizeWarningLimit: 1000,
  },
});
