/** Can two state patterns mean the same place? In: texts with `*` and `**`. */
/** True where some path fits both patterns, or lies below or above what fits the other. */
export function patternsMeet(a: string, b: string): boolean {
  return partsMeet(a.split("/"), b.split("/"));
}

function partsMeet(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [a[0], b[0]];
  if (one === undefined || other === undefined) return true;
  if (one === "**") return partsMeet(a.slice(1), b) || partsMeet(a, b.slice(1));
  if (other === "**") return partsMeet(a, b.slice(1)) || partsMeet(a.slice(1), b);
  return globsMeet(one, other) && partsMeet(a.slice(1), b.slice(1));
}

/** True where some text fits both globs of one part. */
export function globsMeet(a: string, b: string): boolean {
  const [one, other] = [a[0], b[0]];
  if (one === undefined && other === undefined) return true;
  if (one === "*") {
    return globsMeet(a.slice(1), b) || (other !== undefined && globsMeet(a, b.slice(1)));
  }
  if (other === "*") {
    return globsMeet(a, b.slice(1)) || (one !== undefined && globsMeet(a.slice(1), b));
  }
  return one !== undefined && one === other && globsMeet(a.slice(1), b.slice(1));
}
