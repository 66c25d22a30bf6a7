/**
 * How do native functions reach an expression? As bindings without inherited names, each made when
 * an expression first asks for it, so that a scope costs nothing for what is not used.
 */
import { Refusal } from "./refusal.ts";
import type { Signature } from "./signatures.ts";

/** A native function over the thing that a scope is about. */
export type Native<Subject> = (subject: Subject, args: readonly unknown[]) => unknown;

const SUBJECT: unique symbol = Symbol("subject");

/** Gives a maker of bindings for a table of functions; a wrong number of arguments is refused. */
export function nativeBindings<Subject>(
  natives: Readonly<Record<string, Native<Subject>>>,
  signatures: Readonly<Record<string, Signature>>,
): (subject: Subject) => Record<string, unknown> {
  const shared: object = Object.create(null);
  for (const [name, native] of Object.entries(natives)) {
    const signature = signatures[name];
    if (signature === undefined) throw new Error(`No signature of $${name}`);
    Object.defineProperty(shared, name, {
      get(this: { [SUBJECT]: Subject }) {
        const subject = this[SUBJECT];
        return (...args: unknown[]) => {
          checkCount(name, signature, args.length);
          return native(subject, args);
        };
      },
    });
  }
  return (subject) => {
    const bindings = Object.create(shared) as Record<string | symbol, unknown>;
    bindings[SUBJECT] = subject;
    return bindings;
  };
}

function checkCount(name: string, { min, max }: Signature, count: number): void {
  if (count >= min && count <= max) return;
  throw new Refusal(
    `$${name} takes ${min === max ? min : `${min} to ${max}`} arguments, not ${count}`,
  );
}
