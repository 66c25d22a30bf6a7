/**
 * How does a drawing become a picture? SVG text in, the bytes of a PNG out, drawn by resvg with the
 * letters of DejaVu Sans, both loaded with the first picture. No permission is needed, nothing of
 * the system is read: the same SVG gives the same bytes everywhere.
 */
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import code from "@resvg/resvg-wasm/index_bg.wasm" with { type: "bytes" };
import letters from "dejavu-fonts-ttf/ttf/DejaVuSans.ttf" with { type: "bytes" };

const FAMILY = "DejaVu Sans";

let ready: Promise<unknown> | null = null;

/** Draws an SVG at the size that it states; throws where it is none. */
export async function drawPng(svg: string): Promise<Uint8Array> {
  ready ??= initWasm(code);
  await ready;
  const drawing = new Resvg(svg, {
    font: { fontBuffers: [letters], defaultFontFamily: FAMILY },
  });
  const image = drawing.render();
  const bytes = image.asPng();
  image.free();
  drawing.free();
  return bytes;
}
