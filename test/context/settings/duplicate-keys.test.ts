// Keys that stand twice are found, wherever they stand and however they are written, and nothing else is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateKeys, readSettingsFile } from '../../../src/context/settings/read-file.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';

describe('keys that stand twice', () => {
  it.each<[string, readonly string[]]>([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"permissions":{"deny":["A"]},"permissions":{"allow":["B"]}}', ['permissions']],
    ['{"permissions":{"deny":["A"],"deny":[]}}', ['permissions.deny']],
    ['{"a":[{"b":1,"b":2}]}', ['a.[].b']],
    ['{"a":1, // "a": 2\n /* "a": 3 */ "b":"\\"a\\": {"}', []],
    ['{"a":1, /* } */ "a":2,}', ['a']],
    ['{"a":{"b":1},"c":{"b":1},"d":["a","a"],"e":"a"}', []],
    ['["a","a"]', []],
    ['', []],
  ])('of %s', (text, keys) => {
    expect(duplicateKeys(text)).toEqual(keys);
  });

  it('are in nothing that JSON wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(duplicateKeys(JSON.stringify(value, null, 1))).toEqual([]);
      }),
    );
  });

  it('are told of a settings file, of which the last counts', async () => {
    const file = '/s.json';
    const text = '{"permissions":{"deny":["Bash"]},"permissions":{"ask":["Edit"]}}';
    const read = await readSettingsFile(createMemoryHost({ files: { [file]: text } }), {
      scope: 'user',
      file,
      base: '/',
    });
    expect(read?.layer?.values).toEqual({ permissions: { ask: ['Edit'] } });
    expect(read?.problems).toEqual([
      { file, key: 'permissions', message: 'stands twice, and only the last one counts', expected: 'each key once' },
    ]);
  });
});
