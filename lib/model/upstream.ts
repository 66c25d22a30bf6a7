/**
 * Where is a model's request handed on to as it came? The type of the one effect that forwards: bytes
 * in, bytes out, as they come.
 */

/** One request to hand on. */
export interface UpstreamRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole exchange, the body of the answer included. */
  readonly timeoutMs: number;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
}

/** The answer as it comes; reading the body throws where it breaks off. */
export interface UpstreamResponse {
  readonly status: number;
  /** Names in lower case, without those that belong to one connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A server that answers in our place. */
export interface Upstream {
  /** Throws where no answer came; redirects are answers. */
  send(url: string, request: UpstreamRequest): Promise<UpstreamResponse>;
}
