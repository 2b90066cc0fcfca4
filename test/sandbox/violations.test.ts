// Refusals found in what programs print, and none where the machine itself refused.
import { describe, expect, it } from 'vitest';
import { findViolations, isIgnored } from '../../src/sandbox/violations.js';

const place = {
  cwd: '/w',
  mounts: [
    { path: '/w', kind: 'write', isFolder: true },
    { path: '/w/.claude', kind: 'read', isFolder: true },
    { path: '/secret', kind: 'hidden', isFolder: true },
  ],
  isOffline: true,
  blocksSockets: true,
} as const;
const find = (printed: string, more = {}) =>
  findViolations(printed, { ...place, ...more }).map(({ kind, target }) => `${kind} ${target}`);

describe('what a command was refused', () => {
  it.each([
    ["touch: cannot touch '/etc/x': Read-only file system", 'file /etc/x'],
    ['bash: line 1: /etc/x: Read-only file system', 'file /etc/x'],
    ['rm: cannot remove ‘.claude/a’: Read-only file system', 'file /w/.claude/a'],
    ["mv: cannot move '.claude' to 'x': Device or resource busy", 'file /w/.claude'],
    ["Error: EROFS: read-only file system, open '/opt/a b'", 'file /opt/a b'],
    ['cat: /secret/key: Permission denied', 'file /secret/key'],
    ['Read-only file system', 'file '],
    ['curl: (6) Could not resolve host: example.com', 'network example.com'],
    ['npm error code EAI_AGAIN getaddrinfo EAI_AGAIN registry.example.org', 'network registry.example.org'],
    ['connect: Network is unreachable', 'network '],
    ['socket: Operation not permitted', 'socket '],
  ])('%s', (line, expected) => {
    expect(find(`before\n${line}\nafter`)).toEqual([expected]);
  });

  it.each([
    'cat: /root/x: Permission denied',
    "cp: cannot create 'a': No space left on device",
    'kill: (1) - Operation not permitted',
    'all is well',
  ])('nothing: %s', (line) => {
    expect(find(line)).toEqual([]);
  });

  it('says the same once, and not too much', () => {
    const lines = Array.from({ length: 500 }, (_, at) => `touch: '/etc/${at % 20}': Read-only file system`);
    expect(find([...lines, ...lines].join('\n'))).toHaveLength(8);
  });

  it('does not blame the sandbox for a network that it lets through', () => {
    expect(find('curl: (6) Could not resolve host: example.com', { isOffline: false })).toEqual([]);
    expect(find('socket: Operation not permitted', { blocksSockets: false })).toEqual([]);
  });
});

describe('what is ignored', () => {
  const ignored = (kind: 'file' | 'network', target: string, pattern: string) =>
    isIgnored({ kind, target, message: '' }, { file: [], network: [], [kind]: [pattern] });

  it.each([
    ['file', '/etc/x', '/etc', true],
    ['file', '/etc/x', '/etc/x', true],
    ['file', '/etcetera', '/etc', false],
    ['file', '/a/b.log', '*.log', true],
    ['file', '/a/b/c', '/a/*/c', true],
    ['file', '/a/c', '/a/*/c', false],
    ['file', '', '*', true],
    ['file', '', '/etc', false],
    ['network', 'www.example.com', '*.example.com', true],
    ['network', 'example.org', '*.example.com', false],
  ] as const)('%s %s by %s: %s', (kind, target, pattern, expected) => {
    expect(ignored(kind, target, pattern)).toBe(expected);
  });

  it('a path is not ignored by a host', () => {
    expect(isIgnored({ kind: 'file', target: '/x', message: '' }, { file: [], network: ['*'] })).toBe(false);
  });
});
