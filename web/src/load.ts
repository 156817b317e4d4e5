// SPDX-License-Identifier: Apache-2.0
// How data gets in: gzip of JSON, as base64 in the page itself or asked for from `tyto report --watch`.
import type { Page } from "./data";

/** The run in this page, or null where none was filled in. */
export async function embedded(): Promise<Page | null> {
  const element = document.getElementById("data");
  const text = element?.textContent?.trim() ?? "";
  if (!text.startsWith("H4sI")) return null; // every gzip stream in base64 does
  const page = await unpack(from_base64(text));
  element!.textContent = ""; // megabytes nobody needs any longer
  return page;
}

export async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<Page> {
  // A server may have said Content-Encoding: gzip, and the browser then unpacked it already.
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = new Response(bytes).body!;
  const stream = packed ? plain.pipeThrough(new DecompressionStream("gzip")) : plain;
  const page = (await new Response(stream).json()) as Page;
  if (page.format !== 1) {
    throw new Error(`its data are of format ${String(page.format)}, this page reads format 1`);
  }
  return page;
}

export function from_base64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export interface Watcher {
  newer(page: Page): void;
  status(text: string): void;
}

/** Asks for newer data until all runs are done. */
export function watch(page: Page, watcher: Watcher, every_ms = 2000): void {
  let tag = "";
  const ask = async () => {
    try {
      const answer = await fetch("data", {
        cache: "no-store",
        headers: tag === "" ? {} : { "If-None-Match": tag },
      });
      if (answer.status === 200) {
        tag = answer.headers.get("ETag") ?? "";
        page = await unpack(new Uint8Array(await answer.arrayBuffer()));
        watcher.newer(page);
      } else if (answer.status !== 304) {
        throw new Error(`answer ${answer.status}`);
      }
      if (page.runs.every((run) => run.done)) {
        watcher.status("finished");
        return;
      }
      watcher.status("running, asked every 2 s");
    } catch {
      watcher.status("no answer from tyto; trying again");
    }
    setTimeout(ask, every_ms);
  };
  setTimeout(ask, every_ms);
}
