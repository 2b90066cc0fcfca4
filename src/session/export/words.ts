// The words that all exports share, so that one session reads the same in each of them.
import { formatBytes } from '../../util/text.js';
import type { DocumentHead, DocumentItem, MediaPart, SessionDocument } from './session-document.js';

export const ITEM_TITLES: Readonly<Record<DocumentItem['kind'], string>> = {
  prompt: 'Prompt',
  reply: 'Reply',
  note: 'Note of the engine',
  summary: 'Summary of what was before',
};

/** What was, as label and value. */
export function headRows({ head, costs, totalCostUsd }: SessionDocument): readonly (readonly [string, string])[] {
  const rows: (readonly [string, string | undefined])[] = [
    ['Session', head.sessionId],
    ['Folder', head.cwd],
    ['Branch', head.gitBranch],
    ['Tag', head.tag],
    ['Started', timeText(head.createdAt)],
    ['Last changed', timeText(head.lastModified)],
    ...costs.map(({ model, inputTokens, outputTokens, costUsd }) => {
      const cost = costUsd === null ? 'cost unknown' : costText(costUsd);
      return [`Tokens of ${model}`, `${count(inputTokens)} in, ${count(outputTokens)} out, ${cost}`] as const;
    }),
    ['Cost', costs.length === 0 ? undefined : totalCostUsd === null ? 'unknown' : costText(totalCostUsd)],
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '');
}

function timeText(at: number | undefined): string | undefined {
  return at === undefined ? undefined : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function costText(usd: number): string {
  return `$${usd.toFixed(4)}`;
}

function count(n: number): string {
  return n.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** When an item was written; empty if that is not known. */
export function itemTime(at: string | null): string {
  return at !== null && Number.isFinite(Date.parse(at)) ? (timeText(Date.parse(at)) ?? '') : '';
}

/** Stands in the place of content that is not shown. */
export function mediaText({ block, mediaType, base64, name }: MediaPart): string {
  const size =
    base64 === null ? 'content not kept here' : formatBytes(Math.floor((base64.replace(/=+$/, '').length * 3) / 4));
  return `[${block}: ${mediaType}, ${size}${name === null ? '' : `, ${name}`}]`;
}

export function titleOf({ title, sessionId }: DocumentHead): string {
  return title.trim() === '' ? `Session ${sessionId}` : title;
}
