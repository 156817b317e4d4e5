// SPDX-License-Identifier: Apache-2.0
// Builds one HTML file with script and style in it, the same bytes from the same sources.
import { createHash } from "node:crypto";
import { writeFileSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const slot = '<script id="data" type="application/octet-stream">TYTO_DATA</script>';

/** Puts the bundle into index.html, and allows by its hash that script alone to run. */
function one_file(out: string): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      let script = "";
      let style = "";
      let html = "";
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === "chunk") script += item.code.trim();
        else if (name.endsWith(".css")) style += String(item.source).trim();
        else if (name.endsWith(".html")) html = String(item.source);
        delete bundle[name];
      }
      if (/<\/script|<!--/i.test(script)) throw new Error("the script would end its own element");
      const hash = createHash("sha256").update(script).digest("base64");
      html = html
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="(stylesheet|modulepreload)"[^>]*>/g, "")
        .replace("SCRIPT_HASH", () => `'sha256-${hash}'`)
        .replace("</head>", () => `  <style>${style}</style>\n  </head>`)
        .replace("</body>", () => `  <script>${script}</script>\n  </body>`);
      for (const once of [slot, "TYTO_DATA"]) {
        if (html.split(once).length !== 2) throw new Error(`the page must hold ${once} once`);
      }
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(out, html);
    },
  };
}

export default defineConfig({
  base: "./",
  publicDir: false,
  build: {
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 1 << 30,
    cssCodeSplit: false,
    reportCompressedSize: false,
    write: false,
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true } },
  },
  plugins: [one_file(resolve(import.meta.dirname ?? ".", process.env.TYTO_PAGE ?? "page/report.html"))],
});
