// What a rule about commands names: one command, or all that begin so.
import { ConfigError } from '../protocol/errors.js';
import type { ProgramRun } from './shell/command-reading.js';
export interface CommandPattern {
  readonly kind: 'exact' | 'prefix' | 'wildcard';
  readonly text: string;
  readonly source: string;
}
export function parseCommandPattern(content: string): CommandPattern {
  if (content.trim() === '') throw new ConfigError('empty', { code: 'rule_invalid' });
  const m = /^(.*?)(?::\*| \*)$/s.exec(content);
  return m ? { kind: 'prefix', text: m[1] ?? '', source: content } : { kind: 'exact', text: content, source: content };
}
function matches(p: CommandPattern, t: string): boolean {
  return p.kind === 'exact' ? p.text === t : t === p.text || t.startsWith(`${p.text} `);
}
export function allowsRun(p: CommandPattern, run: ProgramRun): boolean {
  return run.unknown === null && run.allowText !== null && matches(p, run.allowText);
}
export function restrictsRun(p: CommandPattern, run: ProgramRun): boolean {
  return run.restrictTexts.some((t) => matches(p, t));
}
