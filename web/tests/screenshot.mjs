// SPDX-License-Identifier: Apache-2.0
// node tests/screenshot.mjs PAGE.html OUT.png: the head of a page, as the README shows it.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { small } from "./small_png.mjs";

const [page, out] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const tab = await browser.newPage({ viewport: { width: 1280, height: 1130 }, colorScheme: "light" });
await tab.goto(pathToFileURL(resolve(page)).href);
await tab.waitForSelector("main table");
await tab.locator("main > section").nth(1).scrollIntoViewIfNeeded();
await tab.waitForTimeout(1500); // charts are drawn when they come into sight
await tab.evaluate(() => window.scrollTo(0, 0));
writeFileSync(out, small(await tab.screenshot()));
await browser.close();
