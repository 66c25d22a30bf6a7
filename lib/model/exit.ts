/**
 * What does an exit code mean? 0 pass, warn, not enough evidence or overridden; 1 block; 2 bad
 * usage or bad files, nothing ran; 3 could not decide; 130 interrupted.
 */
export const EXIT = { ok: 0, block: 1, usage: 2, undecided: 3, interrupted: 130 } as const;
