// Examples beside a rule: calls that it must speak of, and calls that it must not. Rules that say what they mean are found
// out when they stop meaning it.
import path from 'node:path';
import { readAddress } from '../util/web-address.js';
import { allowsRun, restrictsRun } from './command-pattern.js';
import { matchesDomain } from './domain-pattern.js';
import { allowsPath, restrictsPath } from './path-pattern.js';
import type { PermissionRule } from './rule.js';
import { readCommand } from './shell/index.js';

/** Where the examples are meant. Absolute. */
export interface ExamplePlace {
  readonly cwd: string;
  readonly home: string;
}

/**
 * True if the rule speaks of the example: a command, a path, a web address or a name, as its tool has it; the name of
 * the tool for a rule without content. A rule that allows a command must cover all of it, one that restricts a part.
 * Contract: pure; never throws.
 */
export function speaksOf(
  rule: PermissionRule,
  behavior: 'allow' | 'deny' | 'ask',
  example: string,
  { cwd, home }: ExamplePlace,
): boolean {
  const { content } = rule;
  if (content === null) return example === rule.toolName || example.startsWith(`${rule.toolName}__`);
  switch (content.kind) {
    case 'command': {
      const { programs } = readCommand(example, { cwd, home });
      if (behavior !== 'allow') return programs.some((run) => restrictsRun(content.pattern, run));
      const isCovered = programs.every((run) => run.readOnly || allowsRun(content.pattern, run));
      return isCovered && programs.some((run) => allowsRun(content.pattern, run));
    }
    case 'path': {
      const target = path.resolve(cwd, example.startsWith('~/') ? path.join(home, example.slice(2)) : example);
      const place = { base: rule.base ?? cwd, home, roots: [cwd] };
      return behavior === 'allow'
        ? allowsPath(content.pattern, { path: target }, place)
        : restrictsPath(content.pattern, { path: target }, place);
    }
    case 'domain': {
      const address = readAddress(example.includes('://') ? example : `https://${example}`);
      return address.kind === 'address' && matchesDomain(content.pattern, address.host);
    }
    case 'name':
      return example === content.name || (content.withArguments && example.startsWith(`${content.name} `));
    default:
      return content satisfies never;
  }
}
