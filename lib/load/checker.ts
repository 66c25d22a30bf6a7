/** Gathers what checks find in one file: a path, a code, what is wrong and how it is mended. */
import { wordList } from "../model/near_words.ts";
import type { Problem } from "../model/problem.ts";
import { type Aim, type Finding, type KeyPath, problemAt, type SourceFile } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** A finding with where in the key and value it points. */
export type Aimed = Finding & { readonly aim?: Aim };

/** The problems of one file. */
export class Checker {
  readonly problems: Problem[] = [];

  constructor(readonly source: SourceFile) {}

  /** Adds a problem at a path. */
  say(path: KeyPath, finding: Aimed): void {
    this.problems.push(problemAt(this.source, path, finding));
  }

  /** Adds a problem where the word is none of the known ones; true where it is known. */
  known(
    path: KeyPath,
    word: string,
    { words, code, noun }: {
      readonly words: readonly string[];
      readonly code: string;
      readonly noun: string;
    },
  ): boolean {
    if (words.includes(word)) return true;
    this.say(path, {
      code,
      what: words.length === 0
        ? `Unknown ${noun} "${word}": none is described`
        : `Unknown ${noun} "${word}": expected one of ${wordList(words)}`,
      fix: didYouMean(word, words, `use one that is described, or describe "${word}"`),
    });
    return false;
  }

  /** Adds a problem for every name that stands in a list a second time. */
  unique(names: readonly string[], pathOf: (index: number) => KeyPath, noun: string): void {
    names.forEach((name, index) => {
      if (names.indexOf(name) === index) return;
      this.say(pathOf(index), {
        code: "duplicate-entry",
        what: `${noun} "${name}" is listed twice`,
        fix: "keep one of the two, or give one another name",
      });
    });
  }
}
