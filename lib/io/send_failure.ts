/**
 * Why did a message get no answer, and may it have come all the same? What the platform threw in;
 * an outcome in our own words out: those of the platform hold the address, and so the secrets in it.
 */
import type { SendOutcome } from "../model/ports.ts";

/** What is wrong where the task or the address is, in the words of the channel. */
export interface SendWords {
  /** What to do where the task may not reach the address. */
  readonly denied: string;
  readonly noAddress: string;
  readonly noAnswer: string;
}

/** The time limit or the signal where one of them ended the call, else what broke. */
export function outcomeOfFailure(
  cause: unknown,
  { limit, timeoutMs, signal, words }: {
    readonly limit: AbortSignal;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly words: SendWords;
  },
): Exclude<SendOutcome, { kind: "sent" | "busy" }> {
  if (limit.aborted) return { kind: "unsure", why: `no answer within ${timeoutMs / 1000} s` };
  if (signal.aborted) return { kind: "unsure", why: "interrupted" };
  return broken(messagesOf(cause), words);
}

function broken(
  said: string,
  { denied, noAddress, noAnswer }: SendWords,
): Exclude<SendOutcome, { kind: "sent" | "busy" }> {
  if (/requires net access|getaddrinfo EPERM/i.test(said)) {
    return { kind: "refused", why: denied, markup: false };
  }
  if (/refused/i.test(said)) return { kind: "unreached", why: "the connection was refused" };
  if (/dns|lookup|resolve|ENOTFOUND|EAI_AGAIN/i.test(said)) {
    return { kind: "unreached", why: "the host is not known" };
  }
  if (/unreachable|ENETDOWN|ENETUNREACH|EHOSTUNREACH/i.test(said)) {
    return { kind: "unreached", why: "the network is not there" };
  }
  if (/invalid url/i.test(said)) return { kind: "refused", why: noAddress, markup: false };
  if (/json/i.test(said)) return { kind: "unsure", why: noAnswer };
  return { kind: "unsure", why: "the connection broke" };
}

/** All that an error and its causes say, in one text. */
export function messagesOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  const own = `${cause.name} ${cause.message} ${code}`;
  return cause.cause === undefined ? own : `${own} ${messagesOf(cause.cause)}`;
}
