// SPDX-License-Identifier: Apache-2.0
// node tests/protocol_figures.mjs RUNS IMAGES: pictures for pages of docs/protocols, out of the report of a run.
// RUNS holds the run folders named below, made by `tyto run EXPERIMENT --out RUNS/NAME`.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const figures = [
  // run, its experiment, what of the page, picture
  ["reliability", "experiments/reliability.yaml", "#reliability-0 .diagrams", "protocol_calibrate.png"],
  ["detect", "experiments/detect.yaml", '#detection-0 figure:has([data-figure="detection-0/roc"])', "protocol_detect.png"],
  ["discover", "experiments/discover.yaml", "#categories-0 .matrix", "protocol_discover.png"],
  ["ond", "web/tests/ond.yaml", '#tests-0 figure:has([data-figure="tests-0/stream"])', "protocol_ond.png"],
  ["quickstart", "experiments/quickstart.yaml", '#progress-0 figure:has([data-figure="progress-0/classification/accuracy"])', "protocol_owl.png"],
];
const [runs, images] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
for (const [run, , part, picture] of figures) {
  const tab = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme: "light" });
  await tab.goto(pathToFileURL(resolve(runs, run, "report.html")).href);
  await tab.waitForSelector("html[data-ready]");
  await tab.addStyleTag({ content: ".arms { position: static !important } .tools { visibility: hidden }" });
  await tab.locator(`#${part.match(/[\w-]+/)[0]}`).scrollIntoViewIfNeeded(); // sections are drawn when they come into sight
  const node = tab.locator(part).first();
  await node.scrollIntoViewIfNeeded();
  await tab.waitForTimeout(1500);
  await node.screenshot({ path: join(images, picture) });
  await tab.close();
}
await browser.close();
