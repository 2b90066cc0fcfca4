// Texts of a model server as they may be shown. Rule: one short line that never carries a key or control characters.
import { shorten } from '../../util/text.js';
import type { ReadHeader } from './http-exchange.js';

const MAX_EXCERPT = 300;
export const MAX_REQUEST_ID = 100;
const MAX_CLEANED = 64 * 1024;

/** The name the server gives the request; null if it gives none. */
export function requestIdOf(header: ReadHeader, secrets: readonly string[]): string | null {
  const id = header('request-id') ?? header('x-request-id');
  return id === null ? null : cleanText(id, secrets).slice(0, MAX_REQUEST_ID);
}

/** One short printable line without secrets. */
export function cleanText(text: string, secrets: readonly string[]): string {
  let clean = text.slice(0, MAX_CLEANED);
  for (const secret of secrets) clean = clean.replaceAll(secret, '[key]');
  clean = clean.replace(/\bsk-[\w-]{8,}/g, '[key]').replace(/[^\P{C}\n\t]/gu, '');
  return shorten(clean, MAX_EXCERPT);
}
