/**
 * How does an agent that calls its tools over a wire hear a user who interrupts? With the answer of
 * the call just made, in a fixed form at its end, so that who reads the conversation later can tell
 * the tool's words from the user's.
 */

const ONE = /\n\n\[The user interrupts: ("(?:[^"\\]|\\.)*")\]$/;

/** A tool's answer with what the user said after it, in order. */
export function withInterruptions(answer: string, said: readonly string[]): string {
  return answer + said.map((text) => `\n\n[The user interrupts: ${JSON.stringify(text)}]`).join("");
}

/** The tool's own answer and what the user said after it; `said` is empty where nobody interrupted. */
export function splitInterruptions(text: string): { answer: string; said: string[] } {
  const said: string[] = [];
  let answer = text;
  for (let last = ONE.exec(answer); last !== null; last = ONE.exec(answer)) {
    const words = textOf(last[1] ?? "");
    if (words === null) break;
    said.unshift(words);
    answer = answer.slice(0, last.index);
  }
  return { answer, said };
}

function textOf(quoted: string): string | null {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
}
