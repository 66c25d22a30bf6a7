/** What does a native function throw that cannot answer? The expression is then undecided, never false. */

/** Thrown by native functions; its message becomes the reason why an expression is undecided. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
