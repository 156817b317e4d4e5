// SPDX-License-Identifier: Apache-2.0
// Pictures of samples. Of a sample with frames: a strip of them, and one place where they play.
import type { Media, Page } from "./data";
import { el } from "./dom";

const places = new WeakMap<Page, Map<string, Media>>();

/** The picture of a sample as it is, wherever on the page it was needed first. */
export function picture_of(page: Page, run: number, sample: string): Media | undefined {
  let known = places.get(page);
  if (!known) {
    known = new Map(page.media.filter((m) => m.sample !== "").map((m) => [`${m.run}/${m.sample}`, m]));
    places.set(page, known);
  }
  return known.get(`${run}/${sample}`);
}

export function numbered(page: Page, place: number | null): Media | undefined {
  return place === null ? undefined : page.media[place];
}

/**
 * A picture, or frames that play while they are pointed at or have the focus (style.css), unless the
 * reader wants no motion: the strip below shows them all anyway.
 */
export function picture(media: Media | undefined, name: string, focusable = true): HTMLElement | null {
  if (!media || !/^data:image\/(png|jpeg|webp|gif);base64,/.test(media.uri)) return null;
  const sharp = media.drawn ? " drawn" : "";
  const frames = Math.max(1, Math.round(media.frames));
  if (frames === 1) return el("img", { class: `still${sharp}`, src: media.uri, alt: `Picture of ${name}`, loading: "lazy", decoding: "async" });
  const clip = el("div", {
    class: `clip${sharp}`,
    style: `--frames:${frames}`,
    role: "img",
    "aria-label": `${frames} frames of ${name}`,
    tabindex: focusable ? 0 : null,
  });
  const image = (load?: () => void) => el("img", { src: media.uri, alt: "", decoding: "async", ...(load ? { load } : {}) });
  const moving: HTMLImageElement = image(() => {
    if (moving.naturalHeight > 0) clip.style.setProperty("--shape", String(moving.naturalWidth / frames / moving.naturalHeight));
  });
  clip.append(el("div", { class: "loop" }, moving), el("div", { class: "strip" }, image()));
  return clip;
}
