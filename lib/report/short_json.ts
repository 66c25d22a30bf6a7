/**
 * How is a value of any size shown in few characters? JSON that stops once it is long enough, so
 * that a state of megabytes costs no more than what is shown of it.
 */
import type { Json } from "../model/json.ts";
import { cut } from "./escape.ts";

/** JSON of a value, cut after `most` UTF-16 units with ` …`: how much is left out is not known. */
export function shortJson(value: Json, most: number): string {
  const writer = new ShortWriter(most);
  writer.write(value);
  return writer.text();
}

class ShortWriter {
  #text = "";
  #full = false;
  constructor(readonly most: number) {}

  write(value: Json): void {
    if (typeof value === "string") this.#put(JSON.stringify(cut(value, this.most)));
    else if (Array.isArray(value)) this.#list("[", value, "]", (item) => this.write(item));
    else if (typeof value === "object" && value !== null) {
      this.#list("{", Object.keys(value), "}", (key) => {
        this.write(key);
        this.#put(":");
        this.write(value[key] ?? null);
      });
    } else this.#put(JSON.stringify(value));
  }

  text(): string {
    if (this.#text.length <= this.most) return this.#text;
    const end = this.#text.slice(0, this.most);
    return `${end.isWellFormed() ? end : end.slice(0, -1)} …`;
  }

  #put(part: string): void {
    if (!this.#full) this.#text += part;
    if (this.#text.length > this.most) this.#full = true;
  }

  #list<T>(open: string, items: readonly T[], close: string, write: (item: T) => void): void {
    this.#put(open);
    for (let i = 0; i < items.length && !this.#full; i++) {
      if (i > 0) this.#put(",");
      write(items[i] as T);
    }
    this.#put(close);
  }
}
