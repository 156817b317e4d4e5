// SPDX-License-Identifier: Apache-2.0
// node tests/protocol_figures.mjs TYTO RUNS IMAGES: pictures for pages of docs/protocols, out of the report of a run.
// Runs that RUNS does not hold are made first.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { small } from "./small_png.mjs";

const matrices = (arms) => arms.map((arm) => `[data-figure="tasks-0/matrix/${arm}"]`).join(", ");
const figures = [
  // run, its experiment, what of the page, picture, what is left out
  ["reliability", "experiments/reliability.yaml", "#reliability-0 .diagrams", "protocol_calibrate.png"],
  ["class_incremental", "experiments/class_incremental.yaml", `#tasks-0 .figures:has(${matrices([1])})`, "protocol_cil.png", `#tasks-0 figure:has(${matrices([0, 3, 4, 6, 7, 8])})`], // left: tyto-cil, icarl, derpp, finetune
  ["detect", "experiments/detect.yaml", '#detection-0 figure:has([data-figure="detection-0/roc"])', "protocol_detect.png"],
  ["discover", "experiments/discover.yaml", "#categories-0 .matrix", "protocol_discover.png"],
  ["video_nuisance", "experiments/video/nuisance.yaml", "#nuisance-0 .figures figure", "protocol_nuisance.png"],
  ["ond", "web/tests/ond.yaml", '#tests-0 figure:has([data-figure="tests-0/stream"])', "protocol_ond.png"],
  ["quickstart", "experiments/quickstart.yaml", '#progress-0 figure:has([data-figure="progress-0/classification/accuracy"])', "protocol_owl.png"],
];
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const [tyto, runs, images] = process.argv.slice(2).map((path) => resolve(path));
for (const [run, experiment] of figures) {
  if (!existsSync(join(runs, run, "report.html"))) execFileSync(tyto, ["run", experiment, "--out", join(runs, run), "--force", "--quiet"], { cwd: root });
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
for (const [run, , part, picture, without] of figures) {
  const tab = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme: "light" });
  await tab.goto(pathToFileURL(join(runs, run, "report.html")).href);
  await tab.waitForSelector("html[data-ready]");
  await tab.addStyleTag({ content: ".arms { position: static !important } .tools { visibility: hidden }" });
  await tab.locator(`#${part.match(/[\w-]+/)[0]}`).scrollIntoViewIfNeeded(); // sections are drawn when they come into sight
  if (without) await tab.addStyleTag({ content: `${without} { display: none }` });
  const node = tab.locator(part).first();
  await node.scrollIntoViewIfNeeded();
  await tab.waitForTimeout(1500);
  writeFileSync(join(images, picture), small(await node.screenshot()));
  await tab.close();
}
await browser.close();
