// Sizes for people and models, in decimal units.
import { count } from './text.js';

/** "1 byte", "12.3 KB", "4.0 GB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
