// SPDX-License-Identifier: Apache-2.0
// node tests/run.mjs [units|browser]: runs tests/*.test.ts by node's own runner. Vite takes the types
// out, since the node of Debian 12 cannot.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(dirname(here));
const wanted = process.argv[2] ?? "";
for (const file of readdirSync(here).sort()) {
  if (!file.endsWith(".test.ts") || !file.includes(wanted)) continue;
  await runnerImport(join(here, file), { configFile: false, logLevel: "error" });
}
