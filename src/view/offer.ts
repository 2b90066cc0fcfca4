// What a person at the terminal may allow from now on: the suggestions of the engine, in words, for as long as the person
// says.
import type { PermissionRuleValue, PermissionUpdate, PermissionUpdateDestination } from '../protocol/permissions.js';
import { oneLine } from './tool-title.js';

export interface Offer {
  /** The same for two calls that one answer covers. */
  readonly key: string;
  /** What would be allowed, on one line. */
  readonly words: string;
  /** The rules among it; none for a mode or a folder alone. */
  readonly rules: readonly PermissionRuleValue[];
  /** True if it can be written into settings; a mode or folder is for the session. */
  readonly isKeepable: boolean;
  /** What allows it, up to there. */
  until(destination: PermissionUpdateDestination): PermissionUpdate[];
}

const MAX_WORDS = 200;

/** Null if nothing would keep the next question away. */
export function offerOf(suggestions: readonly PermissionUpdate[] | undefined): Offer | null {
  if (suggestions === undefined || suggestions.length === 0) return null;
  return {
    key: JSON.stringify(suggestions),
    words: oneLine(suggestions.map(wordsOf).join(', '), MAX_WORDS),
    rules: suggestions.flatMap((update) => (update.type === 'addRules' ? update.rules : [])),
    isKeepable: suggestions.every(({ type }) => type === 'addRules'),
    until: (destination) => suggestions.map((update) => ({ ...update, destination })),
  };
}

/** The same offer with other rules in place of its own; modes and folders of it stay. */
export function withRules(offer: Offer, rules: readonly PermissionRuleValue[]): Offer {
  const others = offer.until('session').filter(({ type }) => type !== 'addRules');
  const added: PermissionUpdate = { type: 'addRules', rules, behavior: 'allow', destination: 'session' };
  return offerOf([added, ...others]) ?? offer;
}

function wordsOf(update: PermissionUpdate): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules
        .map(({ toolName, ruleContent }) => (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`))
        .join(', ');
    case 'setMode':
      return update.mode === 'acceptEdits' ? 'edits in the workspace' : `mode ${update.mode}`;
    case 'addDirectories':
    case 'removeDirectories':
      return `files in ${update.directories.join(', ')}`;
    default:
      return update satisfies never;
  }
}
