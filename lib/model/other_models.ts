/** Did the model answer that was meant? Names in, those of other models out. */

/** A name with a date behind it is the same model, as its provider calls it. */
const DATED = /^-(?:\d{4}-\d\d-\d\d|\d{8}|\d{4}|latest)$/;

/** The models that answered and are not the one that was configured, each once. */
export function otherModels(configured: string, answered: readonly string[]): string[] {
  return [...new Set(answered)].filter((name) =>
    name !== configured &&
    !(name.startsWith(configured) && DATED.test(name.slice(configured.length)))
  );
}
