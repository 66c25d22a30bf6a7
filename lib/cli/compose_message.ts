/**
 * What exactly is sent? News in; the message as it lies in the outbox out: text in parts that a
 * chat takes, the picture where there is a history, the report where it is asked for. Nothing in it
 * holds a secret.
 */
import { Buffer } from "node:buffer";
import { dayIn } from "../model/day.ts";
import { isDoubtful, type OutboxMessage, type OutboxPart } from "../model/outbox.ts";
import { createFormat, type Format } from "../report/format.ts";
import { createMasker } from "../report/mask.ts";
import { MESSAGE_MAX, splitMessage } from "../report/split_message.ts";
import { headOf, renderMessage, type Undelivered } from "../report/summary.ts";
import { trendSvg } from "../report/trend_svg.ts";
import { type SummaryWords, summaryWordsOf } from "../report/words_summary.ts";
import type { Channel } from "./channels.ts";
import { type News, nextRun } from "./morning.ts";
import { placeMark } from "./outbox.ts";
import { programOf } from "./reproduce.ts";
import type { Session } from "./session.ts";
import { trendPoints } from "./trend_history.ts";

/** Room for what is added to a text that is sent again. */
const TEXT_MAX = MESSAGE_MAX - 160;

/** What a message is besides its news. */
export interface Composed {
  readonly id: string;
  readonly about: string;
  /** Messages to the same place that did not arrive. */
  readonly lost: readonly OutboxMessage[];
  readonly channel: Channel;
  /** With `report.md`. */
  readonly full: boolean;
}

/** The words and numbers of a project's language. */
export function speechOf(
  { project: { config } }: Session,
): { readonly words: SummaryWords; readonly format: Format } {
  return {
    words: summaryWordsOf(config.locale),
    format: createFormat(config.locale, config.zone, config.currency),
  };
}

/** The message, not yet stored. Only a chat gets markup, parts, pictures and documents. */
export async function composeMessage(
  session: Session,
  news: News,
  { id, about, lost, channel, full }: Composed,
): Promise<OutboxMessage> {
  const masked = createMasker([...channel.secrets]).mask(
    session.masker.mask(await messageText(session, news, lost)),
  );
  const isChat = channel.name === "telegram";
  const texts = (isChat ? splitMessage(masked, TEXT_MAX) : [masked])
    .map((text) => newPart({ kind: "text", text, plain: !isChat }));
  return {
    schema: "collaudo/outbox@1",
    id,
    about,
    head: headOf(news.told, session.project.config.locale),
    chat: placeMark(channel.place),
    written: session.io.clock.now(),
    replacedBy: null,
    parts: [...texts, ...isChat ? await attachments(session, news, full) : []],
  };
}

/** The message in Telegram's HTML mode, whatever its length. */
export async function messageText(
  session: Session,
  { told }: News,
  lost: readonly OutboxMessage[],
): Promise<string> {
  const { io, project: { config } } = session;
  const undelivered: Undelivered[] = lost.map((message) => ({
    when: message.written,
    verdict: message.head,
    doubtful: isDoubtful(message),
  }));
  return renderMessage({
    told,
    undelivered,
    nextRun: await nextRun(session),
    today: dayIn(config.zone, io.clock.now()),
    program: programOf(io),
  }, config);
}

/** A part of a message before it is sent. */
export function newPart(over: Pick<OutboxPart, "kind" | "text"> & Partial<OutboxPart>): OutboxPart {
  return {
    name: null,
    data: null,
    state: "waiting",
    doubtful: false,
    plain: false,
    tries: 0,
    why: null,
    messageId: null,
    deliveredAt: null,
    ...over,
  };
}

/** The picture where there is a history, and the whole report where it is asked for. */
export async function attachments(
  session: Session,
  { told, file, pictured }: News,
  full: boolean,
): Promise<OutboxPart[]> {
  const last = told.kind === "report" ? told.report : pictured ?? null;
  if (last === null) return [];
  const picture = await drawing(session, last);
  if (!full || file === null) return picture;
  const report = await session.io.files.readBytes(file);
  const data = Buffer.from(report).toString("base64");
  return [...picture, newPart({ kind: "document", text: "", name: "report.md", data })];
}

/** A picture that cannot be drawn is told of; the message goes without it. */
async function drawing(
  session: Session,
  report: Parameters<typeof trendPoints>[1],
): Promise<OutboxPart[]> {
  const { io, project: { config } } = session;
  const { words, format } = speechOf(session);
  try {
    const points = await trendPoints(session, report);
    const svg = trendSvg(points, { ...config, currency: report.currency });
    if (svg === null) return [];
    const data = Buffer.from(await io.picture.png(svg)).toString("base64");
    const text = words.picture(format, points.length);
    return [newPart({ kind: "photo", text, name: "trend.png", data })];
  } catch (cause) {
    io.terminal.err(
      `${words.cli.noPicture(cause instanceof Error ? cause.message : String(cause))}\n`,
    );
    return [];
  }
}
